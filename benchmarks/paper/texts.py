"""The texts that runs train on: the first tokens of a text, and the same with a part of the tokens replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import smart_open
from gensim_wordrank._utils.atomic_files import write_atomically
from gensim_wordrank.text import corpus
from gensim_wordrank.text.tokens import SENTENCE_BOUNDARY, TokenIds

# of the noise, which is the same for every run
SEED = 1


def name_of(source: Path) -> str:
    """Return the name of a text: that of its file, without the ends that tell what kind of file it is."""
    return re.sub(r"(\.(txt|gz|bz2|xz|zst))+$", "", source.name)


def prepared(source: Path, tokens: int, noise: float, directory: Path) -> Path:
    """Return a file with the first tokens of a text, a share of them replaced; it is made if it is not there."""
    path = directory / f"{name_of(source)}-{tokens}-{noise:g}.txt"
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        if noise:
            write(path, spoilt(prepared(source, tokens, 0, directory), noise))
        else:
            write(path, beginning(source, tokens))
    return path


def beginning(source: Path, tokens: int) -> Iterable[list[str]]:
    """Yield the lines of a text up to a number of tokens; the last is cut where they are reached."""
    left = tokens
    with smart_open.open(source, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()[:left]
            left -= len(words)
            yield words
            if not left:
                return
    raise ValueError(f"'tokens' must be at most {tokens - left}, which is what '{source}' holds. Got {tokens} instead.")


def spoilt(path: Path, share: float) -> Iterable[list[str]]:
    """Return the lines of a text, with a share of its tokens replaced by tokens drawn from the whole text.

    So words keep their frequencies, but for chance, and lines their lengths; only what stands beside what is spoilt. Of
    one text, the tokens that a smaller share replaces are replaced by the same ones in a larger share.
    """
    text = corpus.read(corpus_file=path)
    ids = np.concatenate(list(text.token_ids.chunks()))
    places = np.flatnonzero(ids != SENTENCE_BOUNDARY)
    random = np.random.default_rng(SEED)
    number = round(share * len(places))
    chosen = random.permutation(places)[:number]
    ids[chosen] = ids[random.choice(places, len(places))[:number]]
    noisy = TokenIds(max_bytes=1 << 62)
    noisy.append(ids[1:])  # `noisy` begins with a boundary
    return replace(text, token_ids=noisy)


def write(path: Path, sentences: Iterable[list[str]]) -> None:
    """Write one sentence a line."""

    def fill(name: str) -> None:
        with Path(name).open("w", encoding="utf-8") as file:
            file.writelines(" ".join(sentence) + "\n" for sentence in sentences if sentence)

    write_atomically(path, fill)

"""The texts that models are trained on: the beginnings of three texts, some with noise.

"tuning" is the text on which defaults were chosen. "held-out" is every third line of a larger text that is not a line
of the first; nothing was ever chosen on it. "large" is the larger text itself, which contains the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import smart_open
from gensim_wordrank._utils.atomic_files import write_atomically
from gensim_wordrank.text import corpus
from gensim_wordrank.text.tokens import SENTENCE_BOUNDARY, TokenIds

# of the noise, which is the same for every run
NOISE_SEED = 1
# one line in this many of the larger text is held out
HELD_OUT_STEP = 3


@dataclass(frozen=True)
class Text:
    """The first tokens of a text, a share of them replaced by tokens drawn at random from all of them."""

    source: str  # "tuning", "held-out" or "large"
    tokens: int
    noise: float = 0.0

    def __str__(self) -> str:
        """Return the name of its file."""
        return f"{self.source}-{self.tokens}" + (f"-{self.noise:g}" if self.noise else "")


@dataclass(frozen=True)
class Texts:
    """Where the texts come from, and where they are kept."""

    tuning: Path
    large: Path
    directory: Path

    def file(self, text: Text) -> Path:
        """Return the file of a text; it is written if it does not exist."""
        path = self.directory / f"{text}.txt"
        if not path.exists():
            self.directory.mkdir(parents=True, exist_ok=True)
            clean = replace(text, noise=0.0)
            _write(path, add_noise(self.file(clean), text.noise) if text.noise else self._beginning(text))
        return path

    def _beginning(self, text: Text) -> Iterator[list[str]]:
        """Yield the lines up to the number of tokens; the last line is cut there."""
        left = text.tokens
        for line in self._lines(text.source):
            words = line.split()[:left]
            left -= len(words)
            yield words
            if not left:
                return
        raise ValueError(f"The text '{text.source}' has {text.tokens - left} tokens, not {text.tokens}.")

    def _lines(self, source: str) -> Iterator[str]:
        with smart_open.open(self.tuning if source == "tuning" else self.large, encoding="utf-8") as lines:
            if source != "held-out":
                yield from lines
                return
            with smart_open.open(self.tuning, encoding="utf-8") as seen_lines:
                seen = set(seen_lines)
            others = (line for line in lines if line not in seen)
            yield from (line for number, line in enumerate(others) if number % HELD_OUT_STEP == 0)


def describe(path: Path) -> dict[str, Any]:
    """Return what identifies a text: its number of tokens and its checksum.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> describe(Path(datapath("lee_background.cor")))["tokens"]
    59890
    """
    digest, tokens = hashlib.sha256(), 0
    with path.open("rb") as lines:
        for line in lines:
            digest.update(line)
            tokens += len(line.split())
    return {"tokens": tokens, "sha256": digest.hexdigest()}


def add_noise(path: Path, share: float) -> Iterable[list[str]]:
    """Return the lines of a text, with a share of its tokens replaced by tokens drawn from the whole text.

    Words keep their frequencies, apart from chance, and lines their lengths; only what stands beside what changes. The
    tokens that a smaller share replaces are replaced by the same ones in a larger share.
    """
    text = corpus.read(corpus_file=path)
    ids = np.concatenate(list(text.token_ids.chunks()))
    places = np.flatnonzero(ids != SENTENCE_BOUNDARY)
    random = np.random.default_rng(NOISE_SEED)
    number = round(share * len(places))
    chosen = random.permutation(places)[:number]
    ids[chosen] = ids[random.choice(places, len(places))[:number]]
    noisy = TokenIds(max_bytes=1 << 62)
    noisy.append(ids[1:])  # `noisy` begins with a boundary
    return replace(text, token_ids=noisy)


def _write(path: Path, sentences: Iterable[list[str]]) -> None:
    """Write one sentence per line."""

    def fill(name: str) -> None:
        with Path(name).open("w", encoding="utf-8") as file:
            file.writelines(" ".join(sentence) + "\n" for sentence in sentences if sentence)

    write_atomically(path, fill)

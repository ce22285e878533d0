"""Text files in shards: cut between words, split into words by a kernel, on several cores."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import smart_open
from gensim.models.word2vec import MAX_WORDS_IN_BATCH
from numpy.typing import NDArray

from gensim_wordrank import _tokens
from gensim_wordrank._utils import atomic_files, threads
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank.text.ids import SENTENCE_BOUNDARY
from gensim_wordrank.types import Ids

Bytes = bytes | NDArray[np.uint8]

# bytes of a shard: enough to be worth a thread's turn, few enough for several to be in memory
SHARD = 1 << 21
# gensim's LineSentence cuts longer lines, so we do
LONGEST_SENTENCE = MAX_WORDS_IN_BATCH
ASCII_SPACE = b" \t\n\v\f\r"


def words_of(source: Any, workers: int) -> Iterator[tuple[Ids, list[str]]]:
    """Yield shard after shard of a text: ids, and the shard's own words, which they number.

    Sentences are those of gensim's LineSentence: lines, cut after 10,000 words.

    Parameters
    ----------
    source : path, address or binary file
        Anything that smart_open reads, compressed or not, or an open binary file.
    workers : int
        Number of threads; the result does not depend on it.
    """
    carried, shards = 0, _shards(source)
    # a batch at a time: what has been read and not yet used stays bounded, and errors of reading rise here
    while batch := list(itertools.islice(shards, 2 * workers)):
        for ids, words in threads.run(_tokenize, batch, workers):
            ids, carried = _cut_long_lines(ids, carried)
            yield ids, _decode(words, source)


def _tokenize(read: Callable[[], Bytes]) -> tuple[Ids, bytes]:
    return _tokens.tokenize(read())


def _decode(words: bytes, source: Any) -> list[str]:
    with atomic_files.reading(source):
        return words.decode("utf-8").split("\n") if words else []


def _shards(source: Any) -> Iterator[tuple[Callable[[], Bytes]]]:
    """Yield functions that give the bytes of one shard each."""
    if isinstance(source, (str, os.PathLike)) and is_plain(source):
        path = Path(source)
        for start, end in itertools.pairwise(_cuts(path)):
            yield (partial(_read_range, path, start, end),)
    else:
        for shard in stream(source):
            yield (partial(bytes, shard),)


def is_plain(source: str | os.PathLike[str]) -> bool:
    """Whether the source is a local file without compression."""
    extensions = smart_open.compression.get_supported_extensions()
    return Path(source).is_file() and Path(source).suffix.lower() not in extensions


def _cuts(path: Path) -> Iterator[int]:
    """Yield where the shards of a file begin, behind white space, and its end."""
    size = path.stat().st_size
    yield 0
    with path.open("rb") as file:
        nominal = SHARD
        while nominal < size:
            file.seek(nominal)
            cut = nominal
            while block := file.read(1 << 12):
                spaces = [place for place in map(block.find, _spaces()) if place >= 0]
                cut += min(spaces) + 1 if spaces else len(block)
                if spaces:
                    break
            if cut >= size:
                break
            yield cut
            nominal = cut + SHARD
    yield size


def _spaces() -> Iterator[bytes]:
    return (bytes([space]) for space in ASCII_SPACE)


def _read_range(path: Path, start: int, end: int) -> Bytes:
    data = anonymous_array(end - start, np.uint8)  # the malloc of a thread would keep its memory
    with path.open("rb") as file:
        file.seek(start)
        size = file.readinto(data.data)
    if size != end - start:
        raise OSError(f"'{path}' became shorter while it was read. Leave it alone until the run is done.")
    return data


def stream(source: Any) -> Iterator[bytes]:
    """Yield shards of what can only be read from the beginning."""
    if isinstance(source, (str, os.PathLike)):
        with atomic_files.reading(source), smart_open.open(source, "rb") as file:
            yield from _blocks(file)
    else:
        yield from _blocks(source)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what is left in a file, cut behind white space."""
    rest = b""
    while block := file.read(SHARD):
        if not isinstance(block, bytes):
            raise TypeError("'corpus_file' is a file opened as text. Open it in binary mode ('rb').")
        cut = max(block.rfind(space) for space in _spaces()) + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
    yield rest


def _cut_long_lines(ids: Ids, carried: int) -> tuple[Ids, int]:
    """Lay a border behind every LONGEST_SENTENCE words of a line whose first `carried` words came before.

    Return the ids and how many words of the last line to carry on.
    """
    borders = np.append(np.flatnonzero(ids == SENTENCE_BOUNDARY), len(ids))
    lengths = np.diff(borders, prepend=-1) - 1
    lengths[0] += carried
    starts = borders - lengths  # where each line begins, the first perhaps before these ids
    long = np.flatnonzero(lengths > LONGEST_SENTENCE).tolist()
    if long:
        cuts = [np.arange(starts[i] + LONGEST_SENTENCE, borders[i], LONGEST_SENTENCE) for i in long]
        ids = np.insert(ids, np.concatenate(cuts), SENTENCE_BOUNDARY)
    return ids, int((lengths[-1] - 1) % LONGEST_SENTENCE + 1) if lengths[-1] else 0

"""Text files as token ids: cut into shards, tokenized on several cores, kept in memory or in a temporary file."""

from __future__ import annotations

import itertools
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import smart_open
from gensim.models.word2vec import MAX_WORDS_IN_BATCH
from numpy.typing import NDArray

from gensim_wordrank import _tokens
from gensim_wordrank._utils import atomic_files, system, threads
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank.types import Ids

# SENTENCE_BOUNDARY stands before and after every sentence. UNKNOWN marks words outside the vocabulary; it is never
# stored.
SENTENCE_BOUNDARY, UNKNOWN = -1, -2
# ids per chunk when ids are read back
CHUNK_SIZE = 1 << 18
# bytes per shard: large enough to be worth a thread's time, small enough to hold several in memory
SHARD_BYTES = 1 << 21
# gensim's LineSentence splits longer lines, so we do, too
MAX_SENTENCE_LENGTH = MAX_WORDS_IN_BATCH
# returns the ids of words, from a vocabulary that is fixed or grows
ToIds = Callable[[Iterable[Any]], Iterator[int]]
ASCII_WHITESPACE = b" \t\n\v\f\r"
BYTE_ORDER_MARK = "\ufeff"  # at the beginning of some UTF-8 files


class TokenIds:
    """A sequence of word ids with a boundary before and after every sentence.

    Parameters
    ----------
    max_bytes : int
        Memory that the ids may take; if they need more, they are moved to a temporary file.
    directory : str, optional
        Directory of the temporary file.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.text.tokens import TokenIds
    >>> token_ids = TokenIds(max_bytes=1 << 20)
    >>> token_ids.append(np.array([0, 1, -1, 1, -1], np.int32))
    >>> token_ids.size, token_ids.as_array().tolist()
    (6, [-1, 0, 1, -1, 1, -1])
    """

    def __init__(self, max_bytes: int, directory: str | None = None) -> None:
        self.max_bytes, self.directory = max_bytes, directory
        self._arrays: list[Ids] = []
        self._file: IO[bytes] | None = None
        self.size = 0
        self.append(np.array([SENTENCE_BOUNDARY], np.int32))

    def append(self, ids: Ids) -> None:
        """Append ids; each sentence must end with a boundary."""
        if self._file is None and (self.size + len(ids)) * ids.itemsize > self.max_bytes:
            self._file = tempfile.TemporaryFile(prefix="wordrank-text-", dir=self.directory)  # noqa: SIM115  # stays open
            weakref.finalize(self, self._file.close)
            for array in self._arrays:
                self._file.write(array.data)
            self._arrays = []
        self.size += len(ids)
        if self._file is None:
            self._arrays.append(np.ascontiguousarray(ids))
        else:
            self._file.write(np.ascontiguousarray(ids).data)

    def chunks(self) -> Iterator[Ids]:
        """Yield the ids in order, at most CHUNK_SIZE at a time."""
        for array in self._arrays:
            for start in range(0, len(array), CHUNK_SIZE):
                yield array[start : start + CHUNK_SIZE]
        if self._file is not None:
            self._file.flush()
            offset = 0
            while chunk := system.read_at(self._file, CHUNK_SIZE * 4, offset):  # allows several readers at once
                offset += len(chunk)
                yield np.frombuffer(chunk, np.int32)

    def as_array(self) -> Ids | None:
        """Return all ids as one array, or None if they are in a file."""
        if len(self._arrays) > 1:
            self._arrays = [np.concatenate(self._arrays)]
        return self._arrays[0] if self._arrays else None

    def reindex(self, new_id: NDArray[np.int32]) -> TokenIds:
        """Return the text with the ids ``new_id[old_id]``; words whose new id is UNKNOWN are removed.

        The window then closes over removed words, as in GloVe and Word2Vec.
        """
        table = np.append(new_id, np.int32(SENTENCE_BOUNDARY))  # the boundary, -1, selects the last entry: itself
        result = TokenIds(self.max_bytes, self.directory)
        for number, chunk in enumerate(self.chunks()):
            mapped = table[chunk]
            result.append(mapped[mapped != UNKNOWN][not number :])  # `result` already has its first boundary
        return result

    def segments(self, max_size: int) -> Iterator[Ids]:
        """Yield the text in arrays of about `max_size` ids, each of whole sentences with their boundaries."""
        parts: list[Ids] = []
        size = 0
        for chunk in self.chunks():
            while size + len(chunk) > max_size:
                end = _last_boundary(chunk, max(max_size - size, 1))
                if not end:  # no sentence ends in this chunk, so the segment must be longer
                    break
                parts.append(chunk[:end])
                yield np.concatenate(parts)
                parts, size, chunk = [np.array([SENTENCE_BOUNDARY], np.int32)], 1, chunk[end:]
            parts.append(chunk)
            size += len(chunk)
        if size > 1 or self.size == 1:
            yield np.concatenate(parts)


def _last_boundary(ids: Ids, max_size: int) -> int:
    """Return the end of the last sentence within `max_size` ids, else of the first sentence; 0 if none ends."""
    ends = np.flatnonzero(ids == SENTENCE_BOUNDARY) + 1
    if not len(ends):
        return 0
    last = int(np.searchsorted(ends, max_size, side="right")) - 1
    return int(ends[max(last, 0)])


def file_ids(corpus_file: Any, to_ids: ToIds, workers: int) -> Iterator[tuple[Ids, int]]:
    """Yield the shards of one or several texts as ids, and the number of sentences that begin in each.

    Sentences are those of gensim's LineSentence: lines, split after every 10,000 words.

    Parameters
    ----------
    corpus_file : path, URL or binary file, or list of these
        Anything that smart_open reads, compressed or not, or an open binary file.
    to_ids : function
        Returns the ids of words.
    workers : int
        Number of threads; the result does not depend on it.
    """
    for source in corpus_file if isinstance(corpus_file, (list, tuple)) else [corpus_file]:
        last = SENTENCE_BOUNDARY
        for ids, words in _tokenize_file(source, workers):
            # the boundary, -1, selects the last entry: itself
            new_id = np.append(np.fromiter(to_ids(words), np.int32, len(words)), np.int32(SENTENCE_BOUNDARY))
            boundaries = np.concatenate([[last == SENTENCE_BOUNDARY], ids == SENTENCE_BOUNDARY])
            last = ids[-1]
            yield new_id[ids], int(np.count_nonzero(boundaries[:-1] & ~boundaries[1:]))
        if last != SENTENCE_BOUNDARY:
            yield np.array([SENTENCE_BOUNDARY], np.int32), 0


def _tokenize_file(source: Any, workers: int) -> Iterator[tuple[Ids, list[str]]]:
    """Yield (ids, words) per nonempty shard of a text; the ids number the distinct words of that shard."""
    n_carried, shards = 0, _shards(source)
    # in batches: few shards are in memory at a time, and read errors are raised here
    while batch := list(itertools.islice(shards, 2 * workers)):
        for ids, joined in threads.parallel_map(_tokenize_shard, batch, workers):
            ids, n_carried = _split_long_lines(ids, n_carried)
            try:
                words = joined.decode("utf-8").split("\n") if joined else []
                if BYTE_ORDER_MARK.encode() in joined:  # it may stand where one file was appended to another, too
                    words = [word.removeprefix(BYTE_ORDER_MARK) or word for word in words]
            except UnicodeDecodeError as error:
                raise atomic_files.encoding_error(source, error) from error
            if len(ids):
                yield ids, words


def _shards(source: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments of :func:`_tokenize_shard`: the bytes of a shard or, for the threads to read, their place."""
    if isinstance(source, (str, os.PathLike)) and is_uncompressed_file(source):
        path = Path(source)
        for start, end in itertools.pairwise(_shard_offsets(path)):
            yield path, start, end
    else:
        for shard in read_shards(source):
            yield (shard,)


def is_uncompressed_file(source: str | os.PathLike[str]) -> bool:
    """Return True if the source is a local file without compression."""
    extensions = smart_open.compression.get_supported_extensions()
    return Path(source).is_file() and Path(source).suffix.lower() not in extensions


def _shard_offsets(path: Path) -> Iterator[int]:
    """Yield the offset of each shard, always just after whitespace, and then the size of the file."""
    size = path.stat().st_size
    yield 0
    with path.open("rb") as file:
        offset = SHARD_BYTES
        while offset < size:
            file.seek(offset)
            while block := file.read(1 << 12):
                spaces = [place for place in map(block.find, ASCII_WHITESPACE) if place >= 0]
                offset += min(spaces) + 1 if spaces else len(block)
                if spaces:
                    break
            if offset < size:
                yield offset
            offset += SHARD_BYTES
    yield size


def _tokenize_shard(source: bytes | Path, start: int = 0, end: int = 0) -> tuple[Ids, bytes]:
    """Tokenize a shard, given as bytes or as a range of a file."""
    if isinstance(source, bytes):
        return _tokens.tokenize(source)
    # not malloc, which keeps the memory for the thread: lowers the peak by 9 of 700 MB at 17M tokens
    data = anonymous_array(end - start, np.uint8)
    with source.open("rb") as file:
        file.seek(start)
        size = file.readinto(data.data)
    if size != end - start:
        raise OSError(f"'{source}' became shorter while it was being read. Do not change it during a run.")
    return _tokens.tokenize(data)


def read_shards(source: Any) -> Iterator[bytes]:
    """Yield the bytes of a path, URL or binary file from start to end, in shards that end with whitespace."""
    if isinstance(source, (str, os.PathLike)):
        with atomic_files.describe_read_errors(source), smart_open.open(source, "rb") as file:
            yield from read_shards(file)
        return
    rest = b""
    while block := source.read(SHARD_BYTES):
        if not isinstance(block, bytes):
            raise TypeError("'corpus_file' is a file opened in text mode. Open it in binary mode ('rb').")
        end = max(map(block.rfind, ASCII_WHITESPACE)) + 1
        if end:
            yield rest + block[:end]
            rest = block[end:]
        else:
            rest += block
    yield rest


def _split_long_lines(ids: Ids, n_carried: int) -> tuple[Ids, int]:
    """Insert a boundary after every MAX_SENTENCE_LENGTH words of a line.

    `n_carried` is the number of words of the first line that were in earlier shards. Return the ids and the number of
    words of the last line to carry over.
    """
    boundaries = np.append(np.flatnonzero(ids == SENTENCE_BOUNDARY), len(ids))
    lengths = np.diff(boundaries, prepend=-1) - 1
    lengths[0] += n_carried
    starts = boundaries - lengths  # of the lines; the first may lie before these ids
    long = np.flatnonzero(lengths > MAX_SENTENCE_LENGTH).tolist()
    if long:
        cuts = [np.arange(starts[i] + MAX_SENTENCE_LENGTH, boundaries[i], MAX_SENTENCE_LENGTH) for i in long]
        ids = np.insert(ids, np.concatenate(cuts), SENTENCE_BOUNDARY)
    return ids, int((lengths[-1] - 1) % MAX_SENTENCE_LENGTH + 1) if lengths[-1] else 0

"""Count co-occurrences on several cores in bounded memory; the result does not depend on either.

Weights are integer multiples of a unit, so sums are exact in any order. If the token ids do not fit into memory, the
text is counted in segments: the partial counts of each segment go to disk, and are then added up row by row.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from gensim_wordrank import _cooccurrence
from gensim_wordrank._utils import threads
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank._utils.temporary import TemporaryDirectory
from gensim_wordrank.cooccurrence.csr import Csr, CsrWriter, read_rows
from gensim_wordrank.text.tokens import TokenIds

logger = logging.getLogger(__name__)

# for wide windows whose least common multiple is larger; it represents 1/d to within 2^-33
MAX_UNIT = 2**32
# average blocks of rows per thread, so that all threads finish at about the same time
BLOCKS_PER_WORKER = 8
# bytes per position in the text, or per entry of partial counts, including a copy while they are sorted
SOURCE_BYTES = 24
# pairs that a thread writes at a time
WRITE_SIZE = 1 << 18
# memory for the blocks that are being counted: this share of the total, up to this maximum
BLOCK_SHARE, MAX_BLOCK_BYTES = 0.25, 1 << 28

Rows = Callable[[int, int], _cooccurrence.Rows]
OpenWriter = Callable[[int, int], CsrWriter]


class DistanceWeights:
    """What a pair adds at each distance, in integer multiples of 1 / `unit`.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.counting import DistanceWeights
    >>> weights = DistanceWeights(window=3, distance_weighting=True)
    >>> weights.by_distance.tolist(), weights.unit
    ([0, 6, 3, 2], 6)
    """

    def __init__(self, window: int, distance_weighting: bool) -> None:
        self.unit, self.by_distance = 1, np.ones(window + 1, np.uint64)
        if distance_weighting:
            for distance in range(1, window + 1):
                if self.unit < MAX_UNIT:  # else the least common multiple could have thousands of digits
                    self.unit = min(math.lcm(self.unit, distance), MAX_UNIT)
            self.by_distance[1:] = np.rint(self.unit / np.arange(1, window + 1))
        self.by_distance[0] = 0


def count(
    token_ids: TokenIds,
    n_words: int,
    weights: DistanceWeights,
    symmetric: bool,
    open_writer: OpenWriter,
    workers: int,
    max_bytes: int,
    progress: bool = False,
) -> Csr:
    """Count the pairs of a text.

    Parameters
    ----------
    token_ids : TokenIds
        Ids below `n_words`.
    open_writer : function
        Returns the writer that receives the result, given the number of pairs and the memory for them.
    max_bytes : int
        Memory that counting may take.
    """
    started = perf_counter()
    with tqdm(total=token_ids.size, desc="counting", unit="word", unit_scale=True, disable=not progress) as bar:

        def count_array(ids: NDArray[np.int32], open_writer: OpenWriter, max_bytes: int) -> Csr:
            text = _cooccurrence.CheckedText(ids, n_words)
            rows = partial(_cooccurrence.Windows, text, weight=weights.by_distance, symmetric=symmetric)
            return _write_rows(rows, text.counts, n_words, open_writer, workers, max_bytes, bar)

        ids = token_ids.as_array()
        if ids is not None:
            result = count_array(ids, open_writer, max_bytes)
        else:
            with TemporaryDirectory(token_ids.directory) as scratch:
                partial_counts = [
                    count_array(segment, partial(CsrWriter, np.uint64, None, scratch / str(number)), max_bytes // 3)
                    for number, segment in enumerate(token_ids.segments(max_size=max(max_bytes // 3 // 4, 2)))
                ]
                result = merge(partial_counts, n_words, open_writer, workers, max_bytes)
        bar.update((bar.total or 0) - bar.n)  # boundaries of sentences
    seconds = perf_counter() - started
    logger.info(
        "counted %i pairs in %.1f s, %.0f words per second", len(result.data), seconds, token_ids.size / seconds
    )
    return result


def merge(partial_counts: list[Csr], n_words: int, open_writer: OpenWriter, workers: int, max_bytes: int) -> Csr:
    """Add up partial counts of the same rows of a matrix with `n_words` columns."""
    logger.info("merging %i segments of %i pairs", len(partial_counts), sum(len(part.data) for part in partial_counts))
    sizes = np.sum([np.diff(part.indptr) for part in partial_counts], axis=0)

    def rows(first: int, last: int) -> _cooccurrence.Runs:
        starts = np.stack([part.indptr[first : last + 1] - part.indptr[first] for part in partial_counts])
        starts += np.cumsum([0, *starts[:-1, -1]])[:, None]
        entries = [read_rows(part, first, last) for part in partial_counts]
        columns, sums = (np.concatenate(arrays) for arrays in zip(*entries, strict=True))
        return _cooccurrence.Runs(starts, columns, sums, n_words)

    return _write_rows(rows, sizes, n_words, open_writer, workers, max_bytes, tqdm(disable=True))


def _write_rows(
    rows: Rows, sizes: NDArray[np.int64], n_words: int, open_writer: OpenWriter, workers: int, max_bytes: int, bar: Any
) -> Csr:
    """Count all rows in blocks on several threads; `sizes` is the number of positions or entries per row.

    The first pass counts the distinct columns of each row, the second writes them with their sums.
    """
    indptr = np.zeros(len(sizes) + 1, np.int64)
    block_bytes = min(int(BLOCK_SHARE * max_bytes), MAX_BLOCK_BYTES)
    blocks = _row_blocks(sizes * SOURCE_BYTES, workers, block_bytes)

    def count_columns(first: int, last: int) -> int:
        _cooccurrence.Counter(n_words).lengths(rows(first, last), indptr[first + 1 : last + 1])
        return int(sizes[first:last].sum())

    for size in threads.parallel_map(count_columns, blocks, workers):
        bar.update(size // 2)
    np.cumsum(indptr, out=indptr)
    writer = open_writer(int(indptr[-1]), max_bytes - block_bytes)

    def write_sums(first: int, last: int) -> int:
        source, counter = rows(first, last), _cooccurrence.Counter(n_words)
        for row, end in itertools.pairwise(split_rows(indptr[first : last + 1], WRITE_SIZE)):
            offsets = indptr[first + row : first + end + 1]
            # not malloc, which keeps the memory for the thread: lowers the peak by 10 of 700 MB at 17M tokens
            columns = anonymous_array(int(offsets[-1] - offsets[0]), np.int32)
            sums = anonymous_array(len(columns), np.uint64)
            counter.sums(source, row, offsets, columns, sums)
            writer.write(offsets[0], columns, sums)
        return int(sizes[first:last].sum())

    for size in threads.parallel_map(write_sums, blocks, workers):
        bar.update(size - size // 2)
    return writer.finish(indptr)


def _row_blocks(sizes: NDArray[np.int64], workers: int, max_bytes: int) -> list[tuple[int, int]]:
    """Split rows of the given bytes into blocks of similar size: enough for the threads, small enough for memory."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n_blocks = max(BLOCKS_PER_WORKER * workers, math.ceil(offsets[-1] * workers / max(max_bytes, 1)))
    return list(itertools.pairwise(split_rows(offsets, max(1, int(offsets[-1]) // n_blocks))))


def split_rows(indptr: NDArray[np.int64], max_size: int) -> list[int]:
    """Return the bounds of groups of about `max_size` entries, each of at least one row."""
    targets = np.arange(indptr[0] + max_size, indptr[-1], max_size)
    bounds = np.unique(np.concatenate([[0], np.searchsorted(indptr, targets), [len(indptr) - 1]]))
    result: list[int] = bounds.tolist()
    return result

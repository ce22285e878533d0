"""Counting co-occurrences of a text: on several cores, in bounded memory, with the same bytes whatever the two are.

Weights are whole numbers of a unit, so sums are exact, and neither order nor parts of the text matter. A text whose ids
do not fit into memory is counted in segments; the rows of each go to disk as a run, and runs are added up row by row.
"""

from __future__ import annotations

import itertools
import logging
import math
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from gensim_wordrank import _cooccurrence
from gensim_wordrank._utils import threads
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank.cooccurrence import csr, storage
from gensim_wordrank.text.ids import Text

logger = logging.getLogger(__name__)

# a unit that keeps 1/d within 2^-33, for windows so wide that no common denominator fits
FINEST_UNIT = 2**32
# blocks of rows a thread gets, on average, so that all threads end together
BLOCKS_A_WORKER = 8
# bytes of what rows are made from: a place in the text, or an entry of a run, each twice while they are sorted
SOURCE_BYTES = 24
# pairs that a thread writes at a time
PUT = 1 << 18
# blocks in work take this part of the memory, and no more than enough
WORK_SHARE, WORK_ENOUGH = 0.25, 1 << 28

Rows = Callable[[int, int], _cooccurrence.Rows]


class Weights:
    """What a pair adds at each distance, in whole numbers of a unit.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.counting import Weights
    >>> Weights(window=3, distance_weighting=True).of_distance.tolist(), Weights(3, True).unit
    ([0, 6, 3, 2], 6)
    """

    def __init__(self, window: int, distance_weighting: bool) -> None:
        distances = range(1, window + 1)
        self.unit = _common_multiple(distances) if distance_weighting else 1
        weights = [round(self.unit / d) if distance_weighting else 1 for d in distances]
        self.of_distance = np.array([0, *weights], np.uint64)


def _common_multiple(distances: Iterable[int]) -> int:
    """Return the least common multiple, or FINEST_UNIT if that is less; of many it would have thousands of digits."""
    unit = 1
    for distance in distances:
        unit = math.lcm(unit, distance)
        if unit >= FINEST_UNIT:
            return FINEST_UNIT
    return unit


def count(
    text: Text,
    n_words: int,
    weights: Weights,
    symmetric: bool,
    store: storage.Store,
    workers: int,
    room: int,
    progress: bool = False,
) -> csr.Csr:
    """Count the pairs of a text.

    Parameters
    ----------
    text : Text
        Ids below `n_words`.
    store : Store
        Where the result goes.
    room : int
        Bytes of memory to take.
    """
    started = perf_counter()
    with tqdm(total=len(text), desc="counting", unit="word", unit_scale=True, disable=not progress) as bar:

        def count_array(ids: NDArray[np.int32], store: storage.Store, room: int) -> csr.Csr:
            checked = _cooccurrence.CheckedText(ids, n_words)

            def rows(first: int, last: int) -> _cooccurrence.Windows:
                return _cooccurrence.Windows(checked, first, last, weights.of_distance, symmetric)

            return _gather(rows, checked.counts, n_words, store, workers, room, bar)

        whole = text.array()
        if whole is not None:
            result = count_array(whole, store, room)
        else:
            with tempfile.TemporaryDirectory(prefix="wordrank-runs-", dir=text.directory) as scratch:
                runs = [
                    count_array(segment, storage.Store(Path(scratch, str(number)), np.uint64), room // 3)
                    for number, segment in enumerate(text.segments(most=max(room // 3 // 4, 2)))
                ]
                result = merge(runs, n_words, store, workers, room)
    seconds = perf_counter() - started
    logger.info("counted %i pairs in %.1f s, %.0f words a second", result.nnz, seconds, len(text) / seconds)
    return result


def merge(runs: list[csr.Csr], n_words: int, store: storage.Store, workers: int, room: int) -> csr.Csr:
    """Add up runs, each with the same rows of a matrix of `n_words` columns."""
    logger.info("adding up %i runs of %i pairs", len(runs), sum(run.nnz for run in runs))

    entries = np.sum([np.diff(run.indptr) for run in runs], axis=0)

    def rows(first: int, last: int) -> _cooccurrence.Runs:
        starts = np.stack([run.indptr[first : last + 1] - run.indptr[first] for run in runs])
        starts += np.cumsum([0, *starts[:-1, -1]])[:, None]
        pieces = [csr.read_rows(run, first, last) for run in runs]
        columns, sums = (np.concatenate(part) for part in zip(*pieces, strict=True))
        return _cooccurrence.Runs(starts, columns, sums, n_words)

    return _gather(rows, entries, n_words, store, workers, room, tqdm(disable=True))


def _gather(
    rows: Rows, sizes: NDArray[np.int64], n_words: int, store: storage.Store, workers: int, room: int, bar: Any
) -> csr.Csr:
    """Write all rows into a store, in blocks on several threads; `sizes` is what each row is made from."""
    indptr = np.zeros(len(sizes) + 1, np.int64)
    work = min(int(WORK_SHARE * room), WORK_ENOUGH)
    blocks = _blocks(sizes * SOURCE_BYTES, workers, work)

    def lengths(first: int, last: int) -> int:
        _cooccurrence.Counter(n_words).lengths(rows(first, last), indptr[first + 1 : last + 1])
        return int(sizes[first:last].sum())

    for size in threads.run(lengths, blocks, workers):
        bar.update(size // 2)
    np.cumsum(indptr, out=indptr)
    store.reserve(int(indptr[-1]), room - work)

    def fill(first: int, last: int) -> int:
        source, counter = rows(first, last), _cooccurrence.Counter(n_words)
        for row, end in itertools.pairwise(edges(indptr[first : last + 1], PUT)):
            places = indptr[first + row : first + end + 1]
            columns, sums = store.columns(places[0], places[-1]), anonymous_array(places[-1] - places[0], np.uint64)
            counter.sums(source, row, places, columns, sums)
            store.put(places[0], columns, sums)
        return int(sizes[first:last].sum())

    for size in threads.run(fill, blocks, workers):
        bar.update(size - size // 2)
    return store.finish(indptr)


def _blocks(sizes: NDArray[np.int64], workers: int, room: int) -> list[tuple[int, int]]:
    """Cut rows of given bytes into blocks of about equal size, as many as threads like and memory asks for."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    n_blocks = max(BLOCKS_A_WORKER * workers, math.ceil(ends[-1] * workers / max(room, 1)))
    return list(itertools.pairwise(edges(ends, max(1, int(ends[-1]) // n_blocks))))


def edges(ends: NDArray[np.int64], most: int) -> list[int]:
    """Cut rows with the given running sums into pieces of about `most`, at least one row each."""
    targets = np.arange(ends[0] + most, ends[-1], most)
    found = np.unique(np.concatenate([[0], np.searchsorted(ends, targets), [len(ends) - 1]]))
    return [int(edge) for edge in found]

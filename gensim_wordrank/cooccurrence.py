"""Counting how often words stand near each other."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import numpy as np
from gensim.utils import SaveLoad
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gensim_wordrank import _cooccurrence, threads

logger = logging.getLogger(__name__)


class Cooccurrence(SaveLoad):  # type: ignore[misc]  # gensim has no type information
    """The counts X as the arrays of a CSR matrix, under SciPy's names for them.

    Columns are int32 beside int64 offsets: a large text has more than 2^31 pairs, but never as many words. A SciPy
    matrix cannot hold the two, and takes half as much memory again.

    Parameters
    ----------
    data : array of float32
        The counts, row after row, columns rising.
    indices : array of int32
        Their columns.
    indptr : array of int64
        Where each row begins.
    n_contexts : int
        Number of columns.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence import Cooccurrence
    >>> counts = Cooccurrence.from_matrix([[0.0, 2.0], [2.0, 0.0]])
    >>> counts.nnz, counts.shape
    (2, (2, 2))
    """

    def __init__(
        self, data: NDArray[np.float32], indices: NDArray[np.int32], indptr: NDArray[np.int64], n_contexts: int
    ) -> None:
        self.data, self.indices, self.indptr, self.n_contexts = data, indices, indptr, n_contexts

    @classmethod
    def from_matrix(cls, matrix: Any) -> Cooccurrence:
        """Take over a SciPy sparse matrix of any kind; repeated entries are added up."""
        matrix = csr_matrix(matrix, dtype=np.float32)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        if not (np.isfinite(matrix.data).all() and (matrix.data >= 0).all()):
            raise ValueError("'matrix' must hold finite numbers, 0 or above. Remove the others from it.")
        if not matrix.data.all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        return cls(matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64), matrix.shape[1])

    @classmethod
    def empty(cls, n: int) -> Cooccurrence:
        """Return the counts of no text, for `n` words and contexts."""
        return cls(np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(n + 1, np.int64), n)

    @property
    def nnz(self) -> int:
        """Number of pairs, |Omega|."""
        return len(self.data)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of words and contexts."""
        return len(self.indptr) - 1, self.n_contexts

    @property
    def matrix(self) -> Any:
        """A scipy.sparse.csr_matrix of the counts, with int64 indices; its values are shared."""
        matrix = csr_matrix(self.shape, dtype=np.float32)
        # SciPy's constructor would narrow the offsets of a small matrix
        matrix.data, matrix.indices, matrix.indptr = self.data, self.indices.astype(np.int64), self.indptr
        return matrix

    def context_sums(self) -> NDArray[np.float64]:
        """Return the sum of each column."""
        sums = np.zeros(self.n_contexts)
        for first in range(0, self.nnz, 1 << 20):  # bincount works on wider copies
            part = slice(first, first + (1 << 20))
            sums += np.bincount(self.indices[part], weights=self.data[part], minlength=self.n_contexts)
        return sums

    def grown(self, n: int) -> Cooccurrence:
        """Return the same counts with room for `n` words and contexts."""
        more = np.full(n - self.shape[0], self.nnz, np.int64)
        return Cooccurrence(self.data, self.indices, np.append(self.indptr, more), n)

    def plus(self, other: Cooccurrence) -> Cooccurrence:
        """Return the sum with `other`, of the same words and contexts."""
        return Cooccurrence.from_matrix(self.matrix + other.matrix)


def count_cooccurrences(
    ids: NDArray[np.int32],
    n_words: int,
    window: int = 15,
    symmetric: bool = True,
    distance_weighting: bool = True,
    workers: int = 1,
) -> Cooccurrence:
    """Count the co-occurrences X of a text.

    Parameters
    ----------
    ids : array of int32
        The text as :func:`~gensim_wordrank.corpus.encode` gives it: word ids, -1 in front of and behind each sentence.
    n_words : int
        Size of the vocabulary.
    window : int
        Greatest distance at which two words co-occur.
    symmetric : bool
        Whether words after the centre are contexts too, or only those before it.
    distance_weighting : bool
        A pair at distance d adds 1/d, or 1.
    workers : int
        Number of threads; the matrix does not depend on it.

    Returns
    -------
    Cooccurrence
        A row a word, columns in rising order.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence import count_cooccurrences
    >>> count_cooccurrences(np.array([-1, 0, 1, 2, -1], np.int32), 3, window=2).matrix.toarray()
    array([[0. , 1. , 0.5],
           [1. , 0. , 1. ],
           [0.5, 1. , 0. ]], dtype=float32)
    """
    starts = np.empty(n_words + 1, np.int64)
    positions = np.empty(int(np.count_nonzero(ids >= 0)), np.uint32)
    _cooccurrence.index_positions(ids, starts, positions)
    weight = np.ones(window + 1)
    if distance_weighting:
        weight[1:] /= np.arange(1, window + 1)
    indptr = np.zeros(n_words + 1, np.int64)
    blocks = _balanced_blocks(starts, 8 * workers)

    def counter() -> Any:
        return _cooccurrence.Counter(ids, starts, positions, weight, symmetric)

    def lengths(first: int, last: int) -> None:
        counter().lengths(first, indptr[first + 1 : last + 1])

    for _ in threads.run(lengths, blocks, workers):
        pass
    np.cumsum(indptr, out=indptr)
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)

    def fill(first: int, last: int) -> None:
        counter().values(first, indptr[first : last + 1], columns, values)

    for _ in threads.run(fill, blocks, workers):
        pass
    logger.info("counted %i pairs of %i words in a text of %i", indptr[-1], n_words, len(positions))
    return Cooccurrence(values, columns, indptr, n_words)


def _balanced_blocks(starts: NDArray[np.int64], n_blocks: int) -> list[tuple[int, int]]:
    """Cut the words into runs that hold about equally many places of the text."""
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], n_blocks + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], cuts, [len(starts) - 1]]))
    return list(itertools.pairwise(edges.tolist()))

"""Stage 2 of Algorithm 1: the exact rank of every pair, one tile of words at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank import _ranks
from gensim_wordrank._utils import threads
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.types import Vectors

Result = TypeVar("Result")

# memory for the scores of one tile; with fewer rows, SGEMM takes up to twice as long
TILE_BYTES = 32 << 20

KERNELS = {PairLoss.HINGE: _ranks.hinge_ranks, PairLoss.LOGISTIC: _ranks.logistic_ranks}


def map_ranks(
    function: Callable[[slice, NDArray[np.float64]], Result],
    words: Vectors,
    contexts: Vectors,
    counts: Cooccurrence,
    pair_loss: PairLoss,
    workers: int = 1,
) -> Iterator[Result]:
    """Call `function(pairs, ranks)` for the pairs of every tile of words; yield the results in order.

    The rank of a pair is the paper's equation (2), the sum over c' != c of l(<u_w, v_c - v_c'>). Tiles are used
    so that nothing of the size |W| x |C| or, unless the caller keeps it, |Omega| is held.

    Parameters
    ----------
    function : callable
        Takes the slice of `counts.data` that a tile covers and the ranks of those pairs.
    words, contexts : array of float32
        U and V.
    counts : Cooccurrence
        The pairs; their values are not read.
    pair_loss : PairLoss
        The loss l. Hinge sums are exact; logistic ones are within 6e-8 (rank + 1).
    workers : int
        Number of threads; the results do not depend on it.

    Examples
    --------
    A word that scores 1 with context 0 and 0 with context 1, in a vocabulary of two:

    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence.matrix import Cooccurrence
    >>> from gensim_wordrank.objective.losses import PairLoss
    >>> from gensim_wordrank.objective.ranks import map_ranks
    >>> vectors, counts = np.eye(2, dtype=np.float32), Cooccurrence.from_matrix([[1.0, 1.0], [0, 0]])
    >>> list(map_ranks(lambda pairs, ranks: ranks.tolist(), vectors, vectors, counts, PairLoss.HINGE))
    [[0.0, 2.0]]
    """
    words, contexts = np.ascontiguousarray(words), np.ascontiguousarray(contexts)
    indptr, columns = counts.indptr, counts.indices
    rows = max(1, TILE_BYTES // (4 * max(1, len(contexts))))

    def one_tile(first: int) -> Result:
        last = min(first + rows, len(words))
        ranks = np.empty(indptr[last] - indptr[first])
        if len(ranks):
            scores = words[first:last] @ contexts.T
            KERNELS[pair_loss](scores, indptr[first : last + 1], columns, ranks)
        return function(slice(int(indptr[first]), int(indptr[last])), ranks)

    # BLAS on one thread: our own threads use the cores, and the product is the same for any number of them
    with threadpool_limits(limits=1, user_api="blas"):
        yield from threads.parallel_map(one_tile, ((first,) for first in range(0, len(words), rows)), workers)

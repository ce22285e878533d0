"""Stage 2 of Algorithm 1, step 2 of Algorithm 2: the exact xi of every pair, which stage 1 then holds fixed.

Words are processed in tiles of their blocks, so that a machine that holds some of the blocks multiplies matrices of the
same shapes as one that holds all, and gets the same bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank._ranks import update_xi
from gensim_wordrank._utils import threads
from gensim_wordrank.cooccurrence.csr import Csr
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.objective import LARGEST, Objective
from gensim_wordrank.objective.ranks import KERNELS, TILE_BYTES
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Vectors

# the limit of BLAS belongs to the process: the end of one update must not end it for another in the same process
_blas_limit = threading.Lock()


def is_update_due(method: Method, state: State) -> bool:
    """Return True if the next epoch begins with new xi: every `xi_period` epochs, or if there are none."""
    return state.epoch % method.xi_period == 0 or not len(state.xi)


def kept_xi(method: Method, xi: Vectors, epoch: int) -> Vectors:
    """Return the xi to keep after `epoch` epochs: none if the next one computes them anew."""
    return xi if epoch % method.xi_period else xi[:0].copy()


def updated_xi(
    objective: Objective,
    counts: Csr,
    words: Vectors,
    contexts: Vectors,
    rows: Sequence[NDArray[np.integer]],
    workers: int,
) -> Vectors:
    """Return xi of every pair, equation (12), on `workers` threads.

    Parameters
    ----------
    objective : Objective
        For rho_0, which is linear, all xi are 1.
    counts : Csr
        The pairs; their values are not read.
    words, contexts : array of float32
        U and V, with biases.
    rows : sequence of arrays
        The rows of `counts`, and of `words`, that belong to each block.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank import Cooccurrence, Objective
    >>> from gensim_wordrank.training.stored import updated_xi
    >>> objective, counts = Objective(rank_scale=100, rank_offset=99), Cooccurrence.from_matrix(np.eye(3))
    >>> zeros = np.zeros((3, 5), np.float32)
    >>> updated_xi(objective, counts, zeros, zeros, [np.arange(3)], workers=1).tolist()  # all ranks are 2
    [0.9900990128517151, 0.9900990128517151, 0.9900990128517151]
    """
    if objective.rank_loss is RankLoss.IDENTITY:
        return np.ones(len(counts.indices), np.float32)
    xi = np.empty(len(counts.indices), np.float32)
    rank_pairs, contexts = KERNELS[PairLoss(objective.pair_loss)], np.ascontiguousarray(contexts)
    n_rows = max(1, TILE_BYTES // (4 * max(1, len(contexts))))

    def tiles() -> Iterator[tuple[NDArray[np.integer]]]:
        for block in rows:
            for first in range(0, len(block), n_rows):
                yield (block[first : first + n_rows],)

    def update_tile(tile: NDArray[np.integer]) -> None:
        begins, ends = counts.indptr[tile], counts.indptr[tile + 1]
        pairs = [slice(*ends_) for ends_ in zip(begins.tolist(), ends.tolist(), strict=True)]
        edges = np.concatenate([[0], np.cumsum(ends - begins)])
        ranks, values = np.empty(edges[-1]), np.empty(edges[-1], np.float32)
        if len(ranks):
            columns = np.concatenate([counts.indices[pair] for pair in pairs])
            rank_pairs(words[tile] @ contexts.T, edges, columns, ranks)
            update_xi(ranks, objective.rank_scale, objective.rank_offset, values)
            np.minimum(values, np.float32(LARGEST), out=values)  # without an offset, that of rank 0 is infinite
        for pair, start in zip(pairs, edges.tolist()[:-1], strict=True):
            xi[pair] = values[start : start + pair.stop - pair.start]

    # BLAS on one thread: our own threads use the cores, and the product is the same for any number of them
    with _blas_limit, threadpool_limits(limits=1, user_api="blas"):
        for _ in threads.parallel_map(update_tile, tiles(), workers):
            pass
    return xi

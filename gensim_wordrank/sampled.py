"""Stage 1 with sampled ranks: an epoch of the fast solver, cell by cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled, threads
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.losses import PairLoss, RankLoss
from gensim_wordrank.objective import Objective
from gensim_wordrank.plan import Plan
from gensim_wordrank.ranks import Vectors
from gensim_wordrank.state import State

# sampled contexts that all pairs of a group of words are compared with
SAMPLES = 128
# how often a pair of weight 1 is drawn in an epoch
DRAWS = 20.0


def sampled_epoch(
    state: State, counts: Cooccurrence, objective: Objective, plan: Plan, step: float, workers: int
) -> tuple[State, float]:
    """Run all strata of one epoch; return the new state and the estimate of J."""
    deal = plan.deal(state.epoch)
    word_order = np.concatenate(plan.word_blocks)
    word_edges = np.cumsum([0, *map(len, plan.word_blocks)])
    size = state.words.shape[1]
    words = _pack(state.words, np.ones(len(state.words), np.float32), word_order)
    contexts = _pack(state.contexts, state.bias, deal.order)
    word_past, context_past = state.word_past[word_order], state.context_past[deal.order]

    def run_cell(q: int, b: int) -> float:
        rows, columns = slice(word_edges[q], word_edges[q + 1]), slice(deal.edges[b], deal.edges[b + 1])
        return _sampled.run_cell(
            words[rows], word_past[rows], contexts[columns], context_past[columns], plan.word_blocks[q],
            counts.indptr, counts.indices, counts.data, deal.block_of, deal.row_of, b,
            size, min(SAMPLES, deal.edges[b + 1] - deal.edges[b]), DRAWS,
            RankLoss(objective.rank_loss).code, PairLoss(objective.pair_loss).code, objective.t,
            objective.rank_scale, objective.rank_offset,
            objective.x_max, objective.epsilon if objective.weighted else 0.0, objective.l2,
            step, plan.cell_seed(state.epoch, q, b),
        )  # fmt: skip

    total = sum(sum(threads.run(run_cell, stratum, workers)) for stratum in plan.strata())
    new = State(
        _unpack(words[:, :size], word_order),
        _unpack(contexts[:, :size], deal.order),
        _unpack(contexts[:, size], deal.order),
        _unpack(word_past, word_order),
        _unpack(context_past, deal.order),
        state.epoch + 1,
    )
    # the sum over drawn pairs is DRAWS times that over all pairs, on average
    return new, total / DRAWS


def _pack(vectors: Vectors, last: Vectors, order: NDArray[np.integer]) -> Vectors:
    """Return the rows in the given order, each with its `last` coordinate, and zeros up to a multiple of the lanes."""
    n, size = vectors.shape
    packed = np.zeros((n, -(-(size + 1) // _sampled.LANES) * _sampled.LANES), np.float32)
    packed[:, :size] = vectors[order]
    packed[:, size] = last[order]
    return packed


def _unpack(rows: Vectors, order: NDArray[np.integer]) -> Vectors:
    """Return the rows in their own order again."""
    result = np.empty(rows.shape, np.float32)
    result[order] = rows
    return result

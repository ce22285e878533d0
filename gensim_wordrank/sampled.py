"""Stage 1 with sampled ranks: an epoch of the fast solver, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled, threads
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.losses import PairLoss, RankLoss
from gensim_wordrank.memory import lazy_array
from gensim_wordrank.objective import Objective
from gensim_wordrank.plan import Deal, Plan
from gensim_wordrank.ranks import Vectors
from gensim_wordrank.state import State

# sampled contexts that all pairs of a group of words are compared with
SAMPLES = 128
# how often a pair of weight 1 is drawn in an epoch
DRAWS = 20.0
# bytes of a drawn pair, and of a pair of the counts; drawn ones may take this share of the memory of the counts
PAIR_BYTES, COUNT_BYTES, DRAWN_SHARE = 4, 8, 0.1
# rows that are copied at a time
ROWS_AT_ONCE = 4096
# pairs that tell how many are drawn
SHARE_SAMPLE = 100_000

Pairs = NDArray[np.uint16]
Starts = NDArray[np.int64]


@dataclass
class Rows:
    """Words or contexts as the kernel wants them: block after block, each row with its bias and padded with zeros."""

    vectors: Vectors
    past: Vectors
    order: NDArray[np.integer]
    edges: NDArray[np.int64]

    @classmethod
    def pack(
        cls, vectors: Vectors, bias: Vectors, past: Vectors, order: NDArray[np.integer], edges: NDArray[np.int64]
    ) -> Rows:
        """Put the rows into the given order."""
        n, size = vectors.shape
        stride = -(-(size + 1) // _sampled.LANES) * _sampled.LANES
        packed = lazy_array(n * stride, np.float32).reshape(n, stride)
        _copy_rows(vectors, order, packed[:, :size])
        packed[:, size] = bias[order]
        return cls(packed, past[order], order, edges)

    def unpack(self, size: int) -> tuple[Vectors, Vectors, Vectors]:
        """Return vectors, bias and past in their own order; the packed rows are given up."""
        back = np.empty_like(self.order)
        back[self.order] = np.arange(len(back))
        vectors = lazy_array(len(back) * size, np.float32).reshape(len(back), size)
        _copy_rows(self.vectors[:, :size], back, vectors)
        result = vectors, self.vectors[back, size], self.past[back]
        self.vectors = self.past = np.empty(0, np.float32)
        return result


def _copy_rows(source: Vectors, order: NDArray[np.integer], target: Vectors) -> None:
    """Copy rows in a given order, without a second copy of all on the way."""
    for start in range(0, len(order), ROWS_AT_ONCE):
        target[start : start + ROWS_AT_ONCE] = source[order[start : start + ROWS_AT_ONCE]]


def sampled_epoch(
    state: State, counts: Cooccurrence, objective: Objective, plan: Plan, step: float, workers: int
) -> tuple[State, float]:
    """Run all strata of one epoch; return the new state and the estimate of J."""
    deal = plan.deal(state.epoch)
    size = state.words.shape[1]
    ones = np.ones(len(state.words), np.float32)
    word_edges = np.cumsum([0, *map(len, plan.word_blocks)])
    words = Rows.pack(state.words, ones, state.word_past, np.concatenate(plan.word_blocks), word_edges)
    contexts = Rows.pack(state.contexts, state.bias, state.context_past, deal.order, deal.edges)
    total = _run_strata(words, contexts, deal, state, counts, objective, plan, step, workers)
    new_words, _, word_past = words.unpack(size)
    new_contexts, bias, context_past = contexts.unpack(size)
    new = State(new_words, new_contexts, bias, word_past, context_past, state.epoch + 1)
    # the sum over drawn pairs is DRAWS times that over all pairs, on average
    return new, total / DRAWS


def _run_strata(
    words: Rows,
    contexts: Rows,
    deal: Deal,
    state: State,
    counts: Cooccurrence,
    objective: Objective,
    plan: Plan,
    step: float,
    workers: int,
) -> float:
    """Train all cells; return the sum of weight * rho over the drawn pairs."""
    walk = plan.walk(state.epoch)
    copies = plan.copies(SAMPLES)[deal.order]
    n_blocks = len(plan.word_blocks)
    at_once = strata_at_once(counts, objective, n_blocks)
    shrinkage = objective.shrinkage(plan.n_contexts)
    rank_loss, pair_loss = RankLoss(objective.rank_loss).code, PairLoss(objective.pair_loss).code

    def draw(q: int, b: int) -> tuple[Pairs, Starts]:
        words_of = plan.word_blocks[q]
        most = int((counts.indptr[words_of + 1] - counts.indptr[words_of]).sum())
        pairs = lazy_array(2 * (most + 1), np.uint16).reshape(-1, 2)  # few of them are drawn
        slot_of = ((deal.block_of - np.uint8(b)) % n_blocks).astype(np.uint8)  # uint8 wraps, and n_blocks divides 256
        starts = _sampled.draw_pairs(
            pairs, walk[words.edges[q] : words.edges[q + 1]], words_of, counts.indptr, counts.indices, counts.data,
            slot_of, deal.row_of, at_once,
            DRAWS, objective.x_max, objective.epsilon if objective.weighted else 0.0,
        )  # fmt: skip
        return pairs, starts

    def run_cell(q: int, b: int, slot: int) -> float:
        rows = slice(words.edges[q], words.edges[q + 1])
        columns = slice(contexts.edges[b], contexts.edges[b + 1])
        return _sampled.run_cell(
            words.vectors[rows], words.past[rows], contexts.vectors[columns], contexts.past[columns], copies[columns],
            *drawn[q], slot, at_once, DRAWS, plan.n_contexts,
            state.words.shape[1], min(SAMPLES, columns.stop - columns.start),
            rank_loss, pair_loss, objective.t, objective.rank_scale, objective.rank_offset, shrinkage,
            step, plan.cell_seed(state.epoch, q, b),
        )  # fmt: skip

    total = 0.0
    strata = list(plan.strata())
    for first in range(0, n_blocks, at_once):
        drawn: list[tuple[Pairs, Starts]] = []  # the last ones go before the next are drawn
        drawn = list(threads.run(draw, strata[first], workers))
        for slot, stratum in enumerate(strata[first : first + at_once]):
            total += sum(threads.run(run_cell, [(q, b, slot) for q, b in stratum], workers))
    return total


def strata_at_once(counts: Cooccurrence, objective: Objective, n_blocks: int) -> int:
    """Return for how many strata pairs are drawn at a time: so few that what is drawn is small beside the counts."""
    sample = counts.data[:: max(1, counts.nnz // SHARE_SAMPLE)]
    share = float(np.minimum(DRAWS * objective.weights(sample), 1).mean()) if len(sample) else 0.0
    at_once = n_blocks
    while at_once > 1 and share * at_once / n_blocks * PAIR_BYTES > DRAWN_SHARE * COUNT_BYTES:
        at_once //= 2
    return at_once

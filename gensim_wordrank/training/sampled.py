"""Stage 1 with sampled ranks: an epoch of the fast solver, cell by cell, for all words or for a machine's share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled
from gensim_wordrank._utils import threads
from gensim_wordrank._utils.memory import anonymous_array, forget, trim_heap
from gensim_wordrank.cooccurrence.csr import Csr
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.expected_counts import ExpectedCounts
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.blocks import Block, Rows
from gensim_wordrank.training.partition import ContextPartition, Partition
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State

# sampled contexts that all pairs of a group of words are compared with
SAMPLES = 128
# how often a pair of weight 1 is drawn in an epoch
DRAWS = 20.0
# bytes of a drawn pair, and of a pair of the counts; drawn ones may take this share of the memory of the counts
PAIR_BYTES, COUNT_BYTES, DRAWN_SHARE = 4, 8, 0.1
# pairs that tell how many are drawn
SHARE_SAMPLE = 100_000


@dataclass(frozen=True)
class SampledPairs:
    """The pairs that were drawn for a block of words and for some strata, one after the other."""

    pairs: NDArray[np.uint16]
    starts: NDArray[np.int64]  # of each word's pairs, and in them of each stratum's
    n_strata: int

    def later(self) -> SampledPairs:
        """Drop those of the first stratum, and give their memory back."""
        starts = _sampled.drop_first_slot(self.pairs, self.starts, self.n_strata)
        forget(self.pairs[starts[-1] : self.starts[-1]])
        return SampledPairs(self.pairs, starts, self.n_strata - 1)


@dataclass(frozen=True)
class TrainingConfig:
    """What the epochs of a run have in common."""

    plan: Partition
    objective: Objective
    size: int  # of the vectors
    strata_per_batch: int  # strata for which pairs are drawn at a time
    effective_l2: float  # of the L2 term

    @classmethod
    def of(cls, plan: Partition, objective: Objective, counts: Cooccurrence, size: int) -> TrainingConfig:
        """Make it for all pairs: choose how many are drawn at a time, and how strong the L2 term is."""
        strata_per_batch = choose_strata_per_batch(counts, objective, plan.n_blocks)
        return cls(plan, objective, size, strata_per_batch, objective.effective_l2(plan.n_contexts, counts.nnz))

    def pull(self, sharpness: float) -> float:
        """Return what slopes of rank losses are multiplied by, so that a hopeless pair pulls alike at any sharpness."""
        usual, sharper = (self.objective.pull(self.plan.n_contexts, each) for each in (1.0, sharpness))
        return sharpness / self.objective.rank_scale * (usual / sharper if sharper else 1.0)


class PartitionEpoch:
    """Blocks of words with their pairs, in one epoch: all of them on one machine, or those that one of several holds.

    Parameters
    ----------
    recipe : TrainingConfig
        What the epochs have in common.
    deal : ContextPartition
        The contexts of the epoch.
    epoch, pace
        The number of epochs done, and how this one is run.
    numbers : sequence of int
        Which blocks these are.
    words : sequence of Block
        Their vectors, which training changes.
    counts : Csr
        Pairs of these words, perhaps among others.
    rows : sequence of arrays
        Which rows of `counts` are the words of each block.
    """

    def __init__(
        self, recipe: TrainingConfig, deal: ContextPartition, epoch: int, pace: SchedulePoint, numbers: Sequence[int],
        words: Sequence[Block], counts: Csr, rows: Sequence[NDArray[np.int32]],
    ) -> None:  # fmt: skip
        self.recipe, self.deal, self.epoch, self.pace = recipe, deal, epoch, pace
        self.numbers, self.words, self.counts, self.rows = numbers, words, counts, rows
        ends = np.cumsum([len(block) for block in recipe.plan.word_blocks])[:-1]
        self.walk = np.split(recipe.plan.walk(epoch), ends)
        self.copies = recipe.plan.copies(SAMPLES)[deal.order]
        self.discount = ExpectedCounts.of(recipe.plan.word_sums, recipe.plan.context_sums, recipe.objective.discount)
        self.drawn: dict[int, SampledPairs] = {}
        objective = recipe.objective
        self.options = _sampled.EpochOptions(
            draws_per_weight=DRAWS, x_max=objective.x_max, epsilon=objective.epsilon if objective.weighted else 0.0,
            rank_loss=RankLoss(objective.rank_loss).code, pair_loss=PairLoss(objective.pair_loss).code, t=objective.t,
            rank_scale=objective.rank_scale, rank_offset=objective.rank_offset, sharpness=pace.sharpness,
            gradient_scale=recipe.pull(pace.sharpness), l2=recipe.effective_l2, learning_rate=pace.step,
            vector_size=recipe.size, n_contexts=recipe.plan.n_contexts, n_negatives=SAMPLES,
        )  # fmt: skip

    def run(
        self, stratum: int, contexts: Callable[[int], Block], workers: int,
        tell: Callable[[int], None] = lambda context_block: None,
    ) -> list[float]:  # fmt: skip
        """Train the cells of these words in a stratum; return the sum of weight * rho over the drawn pairs of each.

        `tell` is called with the number of a block of contexts as soon as its cell is done, from the thread it ran on.
        """

        def run_cell(i: int) -> float:
            b = self.recipe.plan.context_block(self.numbers[i], stratum)
            loss = self.run_cell(stratum, i, contexts(b))
            tell(b)
            return loss

        return list(threads.run(run_cell, [(i,) for i in range(len(self.numbers))], workers))

    def run_cell(self, stratum: int, i: int, contexts: Block) -> float:
        """Train the words of the block at place `i` with their contexts of a stratum, after the strata before it."""
        drawn = self._draw(i, stratum) if stratum % self.recipe.strata_per_batch == 0 else self.drawn.pop(i)
        loss = self._run_cell(i, self.recipe.plan.context_block(self.numbers[i], stratum), drawn, contexts)
        if drawn.n_strata > 1:
            self.drawn[i] = drawn.later()
        return loss

    def _draw(self, i: int, stratum: int) -> SampledPairs:
        """Draw the pairs of a block of words for a stratum and those after it."""
        counts, rows, n_blocks = self.counts, self.rows[i], self.recipe.plan.n_blocks
        first = self.recipe.plan.context_block(self.numbers[i], stratum)
        most = int((counts.indptr[rows + 1] - counts.indptr[rows]).sum())
        pairs = anonymous_array(2 * (most + 1), np.uint16).reshape(-1, 2)  # few of them are drawn
        # uint8 wraps, and n_blocks divides 256
        slot_of = ((self.deal.block_of - np.uint8(first)) % n_blocks).astype(np.uint8)
        starts = _sampled.sample_pairs(
            pairs, self.walk[self.numbers[i]], rows, (counts.indptr, counts.indices, counts.data),
            (self.discount.words[self.recipe.plan.word_blocks[self.numbers[i]]], self.discount.contexts),
            (slot_of, self.deal.row_of, self.recipe.strata_per_batch), self.options,
        )  # fmt: skip
        return SampledPairs(pairs, starts, self.recipe.strata_per_batch)

    def _run_cell(self, i: int, b: int, drawn: SampledPairs, contexts: Block) -> float:
        words = self.words[i]
        return _sampled.run_cell(
            (words.vectors, words.past), (contexts.vectors, contexts.past),
            self.copies[self.deal.edges[b] : self.deal.edges[b + 1]],
            (drawn.pairs, drawn.starts, drawn.n_strata), self.options,
            self.recipe.plan.cell_seed(self.epoch, self.numbers[i], b),
        )  # fmt: skip


def sampled_epoch(
    state: State, counts: Cooccurrence, objective: Objective, plan: Partition, pace: SchedulePoint, workers: int
) -> tuple[State, float]:
    """Run all strata of one epoch; return the new state and the estimate of J."""
    deal = plan.deal(state.epoch)
    ones = np.ones(len(state.words), np.float32)
    words = Rows(state.words, ones, state.word_accumulator, plan.word_blocks)
    contexts = Rows(state.contexts, state.bias, state.context_accumulator, np.split(deal.order, deal.edges[1:-1]))
    recipe = TrainingConfig.of(plan, objective, counts, state.words.shape[1])
    pairs, n_blocks = Csr(counts.data, counts.indices, counts.indptr), plan.n_blocks
    share = PartitionEpoch(recipe, deal, state.epoch, pace, range(n_blocks), words.blocks, pairs, plan.word_blocks)

    def run_cell(stratum: int, i: int) -> float:
        if stratum < n_blocks:
            b = plan.context_block(i, stratum)
            if stratum == 0:
                words.pack(i)
                contexts.pack(b)
            return share.run_cell(stratum, i, contexts.blocks[b])
        for rows in (words, contexts):
            if stratum == n_blocks:
                rows.sort(i)
            else:
                rows.unpack(*(len(rows.new[0]) * (i + j) // n_blocks for j in (0, 1)))
        return 0.0

    trim_heap()  # what it took to get here, and the last epoch: now most is needed
    # the next words had these contexts in the stratum before; what is unpacked may come from any block
    losses = threads.run_rounds(run_cell, n_blocks + 2, n_blocks, workers, together=n_blocks)
    (new_words, _, word_accumulator), (new_contexts, bias, context_accumulator) = words.new, contexts.new
    return State(new_words, new_contexts, bias, word_accumulator, context_accumulator, state.epoch + 1), estimate(
        losses
    )


def estimate(losses: Sequence[Sequence[float]]) -> float:
    """Estimate J from the losses of all cells, always added up in the same order: by stratum, by block of words."""
    total = 0.0
    for stratum in losses:
        total += sum(stratum)
    # the sum over drawn pairs is DRAWS times that over all pairs, on average
    return total / DRAWS


def choose_strata_per_batch(counts: Cooccurrence, objective: Objective, n_blocks: int) -> int:
    """Return for how many strata pairs are drawn at a time: so few that what is drawn is small beside the counts.

    What chance takes from the weights is left out, so they are fewer than could be.
    """
    sample = counts.sample(SHARE_SAMPLE)
    share = float(np.minimum(DRAWS * objective.weights(sample), 1).mean()) if len(sample) else 0.0
    strata_per_batch = n_blocks
    while strata_per_batch > 1 and share * strata_per_batch / n_blocks * PAIR_BYTES > DRAWN_SHARE * COUNT_BYTES:
        strata_per_batch //= 2
    return strata_per_batch

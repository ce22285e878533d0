"""Stage 1 with sampled ranks: an epoch of the fast solver, cell by cell, for all words or for a machine's share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled, threads
from gensim_wordrank.arrays import Csr
from gensim_wordrank.chance import Chance
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.losses import PairLoss, RankLoss
from gensim_wordrank.memory import forget, give_back, lazy_array
from gensim_wordrank.objective import Objective
from gensim_wordrank.pace import Pace
from gensim_wordrank.plan import Deal, Plan
from gensim_wordrank.rows import Block, Rows
from gensim_wordrank.state import State

# sampled contexts that all pairs of a group of words are compared with
SAMPLES = 128
# how often a pair of weight 1 is drawn in an epoch
DRAWS = 20.0
# bytes of a drawn pair, and of a pair of the counts; drawn ones may take this share of the memory of the counts
PAIR_BYTES, COUNT_BYTES, DRAWN_SHARE = 4, 8, 0.1
# pairs that tell how many are drawn
SHARE_SAMPLE = 100_000


@dataclass(frozen=True)
class Drawn:
    """The pairs that were drawn for a block of words and for some strata, one after the other."""

    pairs: NDArray[np.uint16]
    starts: NDArray[np.int64]  # of each word's pairs, and in them of each stratum's
    n_strata: int

    def later(self) -> Drawn:
        """Drop those of the first stratum, and give their memory back."""
        starts = _sampled.drop_first(self.pairs, self.starts, self.n_strata)
        forget(self.pairs[starts[-1] : self.starts[-1]])
        return Drawn(self.pairs, starts, self.n_strata - 1)


@dataclass(frozen=True)
class Recipe:
    """What the epochs of a run have in common."""

    plan: Plan
    objective: Objective
    size: int  # of the vectors
    at_once: int  # strata for which pairs are drawn at a time
    shrinkage: float  # of the L2 term

    @classmethod
    def of(cls, plan: Plan, objective: Objective, counts: Cooccurrence, size: int) -> Recipe:
        """Make it for all pairs: choose how many are drawn at a time, and how strong the L2 term is."""
        at_once = strata_at_once(counts, objective, plan.n_blocks)
        return cls(plan, objective, size, at_once, objective.shrinkage(plan.n_contexts, counts.nnz))

    def pull(self, sharpness: float) -> float:
        """Return what slopes of rank losses are multiplied by, so that a hopeless pair pulls alike at any sharpness."""
        usual, sharper = (self.objective.pull(self.plan.n_contexts, each) for each in (1.0, sharpness))
        return sharpness / self.objective.rank_scale * (usual / sharper if sharper else 1.0)


class Share:
    """Blocks of words with their pairs, in one epoch: all of them on one machine, or those that one of several holds.

    Parameters
    ----------
    recipe : Recipe
        What the epochs have in common.
    deal : Deal
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
        self, recipe: Recipe, deal: Deal, epoch: int, pace: Pace, numbers: Sequence[int],
        words: Sequence[Block], counts: Csr, rows: Sequence[NDArray[np.int32]],
    ) -> None:  # fmt: skip
        self.recipe, self.deal, self.epoch, self.pace = recipe, deal, epoch, pace
        self.numbers, self.words, self.counts, self.rows = numbers, words, counts, rows
        ends = np.cumsum([len(block) for block in recipe.plan.word_blocks])[:-1]
        self.walk = np.split(recipe.plan.walk(epoch), ends)
        self.copies = recipe.plan.copies(SAMPLES)[deal.order]
        self.chance = Chance.of(recipe.plan.word_sums, recipe.plan.context_sums, recipe.objective.chance)
        self.drawn: dict[int, Drawn] = {}

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
        drawn = self._draw(i, stratum) if stratum % self.recipe.at_once == 0 else self.drawn.pop(i)
        loss = self._run_cell(i, self.recipe.plan.context_block(self.numbers[i], stratum), drawn, contexts)
        if drawn.n_strata > 1:
            self.drawn[i] = drawn.later()
        return loss

    def _draw(self, i: int, stratum: int) -> Drawn:
        """Draw the pairs of a block of words for a stratum and those after it."""
        objective, counts, rows, n_blocks = self.recipe.objective, self.counts, self.rows[i], self.recipe.plan.n_blocks
        first = self.recipe.plan.context_block(self.numbers[i], stratum)
        most = int((counts.indptr[rows + 1] - counts.indptr[rows]).sum())
        pairs = lazy_array(2 * (most + 1), np.uint16).reshape(-1, 2)  # few of them are drawn
        # uint8 wraps, and n_blocks divides 256
        slot_of = ((self.deal.block_of - np.uint8(first)) % n_blocks).astype(np.uint8)
        starts = _sampled.draw_pairs(
            pairs, self.walk[self.numbers[i]], rows, counts.indptr, counts.indices, counts.data,
            self.chance.words[self.recipe.plan.word_blocks[self.numbers[i]]], self.chance.contexts,
            slot_of, self.deal.row_of, self.recipe.at_once,
            DRAWS, objective.x_max, objective.epsilon if objective.weighted else 0.0,
        )  # fmt: skip
        return Drawn(pairs, starts, self.recipe.at_once)

    def _run_cell(self, i: int, b: int, drawn: Drawn, contexts: Block) -> float:
        objective, plan, words, sharpness = self.recipe.objective, self.recipe.plan, self.words[i], self.pace.sharpness
        return _sampled.run_cell(
            words.vectors, words.past, contexts.vectors, contexts.past,
            self.copies[self.deal.edges[b] : self.deal.edges[b + 1]],
            drawn.pairs, drawn.starts, drawn.n_strata, DRAWS, plan.n_contexts,
            self.recipe.size, min(SAMPLES, len(contexts.past)),
            RankLoss(objective.rank_loss).code, PairLoss(objective.pair_loss).code,
            objective.t, objective.rank_scale, objective.rank_offset, sharpness, self.recipe.pull(sharpness),
            self.recipe.shrinkage, self.pace.step, plan.cell_seed(self.epoch, self.numbers[i], b),
        )  # fmt: skip


def sampled_epoch(
    state: State, counts: Cooccurrence, objective: Objective, plan: Plan, pace: Pace, workers: int
) -> tuple[State, float]:
    """Run all strata of one epoch; return the new state and the estimate of J."""
    deal = plan.deal(state.epoch)
    ones = np.ones(len(state.words), np.float32)
    words = Rows(state.words, ones, state.word_past, plan.word_blocks)
    contexts = Rows(state.contexts, state.bias, state.context_past, np.split(deal.order, deal.edges[1:-1]))
    recipe = Recipe.of(plan, objective, counts, state.words.shape[1])
    pairs, n_blocks = Csr(counts.data, counts.indices, counts.indptr), plan.n_blocks
    share = Share(recipe, deal, state.epoch, pace, range(n_blocks), words.blocks, pairs, plan.word_blocks)

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

    give_back()  # what it took to get here, and the last epoch: now most is needed
    # the next words had these contexts in the stratum before; what is unpacked may come from any block
    losses = threads.run_rounds(run_cell, n_blocks + 2, n_blocks, workers, together=n_blocks)
    (new_words, _, word_past), (new_contexts, bias, context_past) = words.new, contexts.new
    return State(new_words, new_contexts, bias, word_past, context_past, state.epoch + 1), estimate(losses)


def estimate(losses: Sequence[Sequence[float]]) -> float:
    """Estimate J from the losses of all cells, always added up in the same order: by stratum, by block of words."""
    total = 0.0
    for stratum in losses:
        total += sum(stratum)
    # the sum over drawn pairs is DRAWS times that over all pairs, on average
    return total / DRAWS


def strata_at_once(counts: Cooccurrence, objective: Objective, n_blocks: int) -> int:
    """Return for how many strata pairs are drawn at a time: so few that what is drawn is small beside the counts.

    What chance takes from the weights is left out, so they are fewer than could be.
    """
    sample = counts.sample(SHARE_SAMPLE)
    share = float(np.minimum(DRAWS * objective.weights(sample), 1).mean()) if len(sample) else 0.0
    at_once = n_blocks
    while at_once > 1 and share * at_once / n_blocks * PAIR_BYTES > DRAWN_SHARE * COUNT_BYTES:
        at_once //= 2
    return at_once

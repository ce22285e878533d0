"""The sampled solver and the one with stored xi: stage 1 against sampled negatives, cell by cell.

:class:`PartitionEpoch` runs the cells of some blocks of words, all of them on one machine or those that one of several
machines holds. :func:`sampled_epoch` runs all cells of an epoch on the threads of this machine.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled
from gensim_wordrank._utils import threads
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank._utils.system import discard_pages
from gensim_wordrank.cooccurrence.csr import CountSummary, Csr, require_whole_files
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.objective import ExpectedCounts, Objective
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.training.blocks import Block, BlockedRows
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.partition import EpochPartition, Partition, choose_strata_per_batch
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.training.stored import is_update_due, kept_xi, updated_xi
from gensim_wordrank.types import Vectors

# sampled pairs whose memory is released at a time: 64 kB, so that cells with few pairs hardly ever do it
PAIRS_PER_DISCARD = 1 << 14
# called with the share of the running epoch's cells that are done, from any thread
Report = Callable[[float], None]


def no_report(share: float) -> None:
    """Ignore the share of an epoch that is done."""


@dataclass(frozen=True)
class TrainingConfig:
    """What all epochs of a run have in common."""

    partition: Partition
    objective: Objective
    expected: ExpectedCounts
    negative_weights: NDArray[np.uint16]  # of the contexts
    method: Method
    vector_size: int
    n_pairs: int
    strata_per_batch: int  # strata for which pairs are sampled at a time
    effective_l2: float

    @classmethod
    def of(
        cls,
        counts: CountSummary,
        objective: Objective,
        vector_size: int,
        seed: int,
        method: Method | None = None,
        settings: Settings = SETTINGS,
    ) -> TrainingConfig:
        """Split the words into blocks; choose how many pairs are sampled at a time and how strong the L2 term is."""
        method, n_pairs = method or Method(), int(counts.row_lengths.sum())
        expected = ExpectedCounts.of(counts.word_sums, counts.context_sums, objective.discount)
        # without the discount: fewer pairs will be sampled than estimated here
        sampled = np.minimum(settings.draws_per_weight * objective.weights(counts.sample), 1)
        n_sampled = n_pairs * float(sampled.mean(dtype=np.float64)) if len(sampled) else 0.0
        l2 = objective.effective_l2(len(counts.context_sums), n_pairs, settings)
        partition = Partition.of(counts, seed, settings)
        batch = choose_strata_per_batch(n_sampled, n_pairs, len(counts.word_sums), partition.n_blocks)
        negatives = partition.negative_weights(settings.n_negatives, method.uniform_negatives)
        return cls(partition, objective, expected, negatives, method, vector_size, n_pairs, batch, l2)


@dataclass(frozen=True)
class SampledPairs:
    """The pairs that were sampled for a block of words and some strata, one stratum after the other."""

    pairs: NDArray[np.uint16]
    sizes: NDArray[np.uint16]  # pairs of each stratum and word
    starts: list[int]  # of the pairs of each stratum, and the end
    xi: Vectors | None = None  # stored, of these pairs

    @classmethod
    def sort(cls, pairs: NDArray[np.uint16], sizes: NDArray[np.uint16], xi: Vectors | None) -> SampledPairs:
        """Sort pairs that were sampled word by word."""
        starts = [0, *np.cumsum(sizes.sum(axis=1, dtype=np.int64)).tolist()]
        sorted_pairs = anonymous_array(2 * starts[-1], np.uint16).reshape(-1, 2)
        sorted_xi = None if xi is None else anonymous_array(starts[-1], np.float32)
        _sampled.sort_by_slot(pairs, sizes, sorted_pairs, xi, sorted_xi)
        return cls(sorted_pairs, sizes, starts, sorted_xi)

    def of_stratum(self, i: int) -> tuple[tuple[NDArray[np.uint16], NDArray[np.uint16]], Vectors | None]:
        """Return a stratum's pairs, how many each word has, and their xi."""
        some = slice(self.starts[i], self.starts[i + 1])
        return (self.pairs[some], self.sizes[i]), None if self.xi is None else self.xi[some]

    def discard(self, i: int) -> None:
        """Release the memory of the pairs up to those of a stratum, whenever they fill some more pages."""
        done, before = (self.starts[j] // PAIRS_PER_DISCARD * PAIRS_PER_DISCARD for j in (i + 1, i))
        for array in (self.pairs, self.xi):
            if array is not None and done > before:
                discard_pages(array[before:done])


class PartitionEpoch:
    """One epoch of some blocks of words with all contexts.

    Parameters
    ----------
    config : TrainingConfig
        What all epochs have in common.
    contexts : EpochPartition
        The blocks of contexts in this epoch.
    epoch : int
        Number of epochs done before.
    point : SchedulePoint
        Learning rate and sharpness.
    numbers : sequence of int
        Which blocks of words these are.
    words : sequence of Block
        Their vectors, which training changes.
    counts : Csr
        The pairs of these words, perhaps among others.
    rows : sequence of arrays
        The rows of `counts` that belong to each block.
    xi : array, optional
        Stored xi of all pairs of `counts`; without it, xi follows from the sampled ranks.
    """

    def __init__(
        self, config: TrainingConfig, contexts: EpochPartition, epoch: int, point: SchedulePoint,
        numbers: Sequence[int], words: Sequence[Block], counts: Csr, rows: Sequence[NDArray[np.int32]],
        xi: Vectors | None = None,
    ) -> None:  # fmt: skip
        require_whole_files(counts.data, counts.indices, counts.indptr)
        self.config, self.contexts, self.epoch, self.point = config, contexts, epoch, point
        self.numbers, self.words, self.counts, self.rows, self.xi = numbers, words, counts, rows, xi
        partition, objective, settings = config.partition, config.objective, config.partition.settings
        self.negative_weights = config.negative_weights[contexts.order]
        self.sampled: dict[int, SampledPairs] = {}
        self.drawn = np.zeros(len(words), np.int64)  # total weight of the sampled pairs of each block, in integer units
        self.options = _sampled.EpochOptions(
            draws_per_weight=settings.draws_per_weight,
            x_max=objective.x_max,
            epsilon=objective.epsilon if objective.weighted else 0.0,
            **objective.kernel_options(),
            sharpness=point.sharpness,
            gradient_scale=objective.gradient_scale(partition.n_contexts, point.sharpness),
            l2=config.effective_l2,
            learning_rate=point.learning_rate * config.method.step_per_rate(objective, partition.n_contexts),
            bias=float(config.method.has_bias),
            adagrad=config.method.uses_adagrad,
            vector_size=config.vector_size,
            n_contexts=partition.n_contexts,
            n_negatives=settings.n_negatives,
        )

    def run_cell(self, stratum: int, i: int, contexts: Block) -> float:
        """Train the words of block `i` with their contexts of a stratum; strata must come in order."""
        of_batch = stratum % self.config.strata_per_batch
        if not of_batch:
            self.sampled[i] = self._sample(i, stratum)
        pairs, xi = self.sampled[i].of_stratum(of_batch)
        words, block, offsets = self.words[i], self.numbers[i], self.contexts.offsets
        b = self.config.partition.context_block(block, stratum)
        loss = _sampled.run_cell(
            (words.vectors, words.accumulator), (contexts.vectors, contexts.accumulator),
            self.negative_weights[offsets[b] : offsets[b + 1]], pairs, self.options,
            self.config.partition.cell_seed(self.epoch, block, b), xi,
        )  # fmt: skip
        self.sampled[i].discard(of_batch)
        return loss

    def weight(self) -> float:
        """Return the sum of the weights r of these words' pairs, estimated from those that were sampled."""
        return float(self.drawn.sum()) / self.options.weight_scale / self.config.partition.settings.draws_per_weight

    def _sample(self, i: int, stratum: int) -> SampledPairs:
        """Sample the pairs of a block of words for a stratum and those after it."""
        counts, rows, block = self.counts, self.rows[i], self.numbers[i]
        partition, expected = self.config.partition, self.config.expected
        most = int((counts.indptr[rows + 1] - counts.indptr[rows]).sum())
        pairs = anonymous_array(2 * (most + 1), np.uint16).reshape(-1, 2)  # few of them are sampled
        xi = None if self.xi is None else anonymous_array(most + 1, np.float32)
        # uint16 wraps around, and n_blocks is a power of two
        first = np.uint16(partition.context_block(block, stratum))
        slot_of = (self.contexts.block_of - first) & np.uint16(partition.n_blocks - 1)
        n_strata = self.config.strata_per_batch
        sizes = _sampled.sample_pairs(
            pairs, self.contexts.sampling_offsets[block], rows, (counts.indptr, counts.indices, counts.data),
            (expected.words[partition.word_blocks[block]], expected.contexts),
            (slot_of, self.contexts.row_of, n_strata), self.options, self.xi, xi,
        )  # fmt: skip
        sampled = SampledPairs.sort(pairs, sizes, xi)
        self.drawn[i] += sampled.pairs[:, 1].sum(dtype=np.int64)
        return sampled


def sampled_epoch(
    config: TrainingConfig,
    counts: Cooccurrence,
    state: State,
    point: SchedulePoint,
    workers: int,
    report: Report = no_report,
) -> tuple[State, float, float]:
    """Run all strata of one epoch; return the new state, the estimate of J, and the sum of the pairs' weights.

    `report` is called after each cell, on the thread that ran it, with the share of the cells that are done.
    """
    partition, contexts = config.partition, config.partition.at(state.epoch)
    pairs, xi = Csr(counts.data, counts.indices, counts.indptr), None
    if config.method.stores_xi:
        xi = state.xi
        if is_update_due(config.method, state):
            xi = updated_xi(config.objective, pairs, *state.with_bias(), partition.word_blocks, workers)
    n_blocks, ones = partition.n_blocks, np.full(len(state.words), config.method.has_bias, np.float32)
    words = BlockedRows(state.words, ones, state.word_accumulator, partition.word_blocks)
    context_rows = BlockedRows(
        state.contexts, state.bias, state.context_accumulator, np.split(contexts.order, contexts.offsets[1:-1])
    )
    epoch = PartitionEpoch(
        config, contexts, state.epoch, point, range(n_blocks), words.blocks, pairs, partition.word_blocks, xi
    )

    cells_done = itertools.count(1)

    def run(round_: int, i: int) -> float:
        if round_ < n_blocks:
            b = partition.context_block(i, round_)
            if round_ == 0:
                words.pack(i)
                context_rows.pack(b)
            loss = epoch.run_cell(round_, i, context_rows.blocks[b])
            report(next(cells_done) / n_blocks**2)
            return loss
        for rows in (words, context_rows):
            if round_ == n_blocks:
                rows.sort(i)
            else:
                n = len(rows.new[0])
                rows.unpack(n * i // n_blocks, n * (i + 1) // n_blocks)
        return 0.0

    # the next words had these contexts in the stratum before; unpacked rows may come from any block
    losses = threads.parallel_rounds(run, n_blocks + 2, n_blocks, workers, barrier_from=n_blocks)
    (new_words, _, word_accumulator), (new_contexts, bias, context_accumulator) = words.new, context_rows.new
    new = State(new_words, new_contexts, bias, word_accumulator, context_accumulator, state.epoch + 1)
    if xi is not None:
        new.xi = kept_xi(config.method, xi, new.epoch)
    return new, estimate_loss(losses, partition.settings), epoch.weight()


def estimate_loss(losses: Sequence[Sequence[float]], settings: Settings = SETTINGS) -> float:
    """Estimate J, without the L2 term, from the losses of all cells.

    They are added up in a fixed order: by stratum, then by block of words.
    """
    total = 0.0
    for stratum in losses:
        total += sum(stratum)
    # on average, the sum over sampled pairs is draws_per_weight times the sum over all pairs
    return total / settings.draws_per_weight

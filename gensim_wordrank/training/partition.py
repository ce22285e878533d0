"""Algorithm 2 of the paper as a pure function of data and seed: which cell runs when, with which random numbers.

Words are split into B blocks for the whole run; contexts are split into B blocks anew every epoch. A cell is a block of
words with a block of contexts. The B cells of a stratum share no row, so they can run at once, in any order, on any
number of threads or machines, and the result is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank.cooccurrence.csr import CountSummary
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.types import Floats

# block numbers are stored in two bytes
MAX_BLOCKS = 1 << 15
# bytes of a sampled pair, of their number per word and stratum, and of a counted pair; sampled pairs may take this
# share of the memory of the counts, and the numbers as much or this many bytes
PAIR_BYTES, SIZE_BYTES, COUNT_BYTES, SAMPLED_SHARE, ALL_SIZES_BYTES = 4, 2, 8, 0.1, 1 << 28


@dataclass(frozen=True)
class EpochPartition:
    """What is drawn anew for every epoch: the blocks of contexts, and where the sampling of pairs begins."""

    order: NDArray[np.int64]  # the contexts, block after block
    offsets: NDArray[np.int64]  # where each block begins in `order`, and the end
    block_of: NDArray[np.uint16]  # the block of each context
    row_of: NDArray[np.int32]  # and its row in that block
    sampling_offsets: list[NDArray[np.uint32]]  # of the words of each block, in units of 2^-32

    def block(self, number: int) -> NDArray[np.int64]:
        """Return the contexts of a block."""
        return self.order[self.offsets[number] : self.offsets[number + 1]]


@dataclass(frozen=True)
class Partition:
    """The blocks of a training run.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.matrix import Cooccurrence
    >>> from gensim_wordrank.training.partition import Partition
    >>> partition = Partition.of(Cooccurrence.from_matrix([[0, 1], [1, 0]]).summarize(), seed=1)
    >>> partition.n_blocks, partition.context_block(word_block=0, stratum=0)
    (1, 0)
    """

    seed: int
    n_blocks: int  # of words, and of contexts
    n_contexts: int
    word_blocks: tuple[NDArray[np.int32], ...]
    word_sums: Floats  # all counts of each word
    context_sums: Floats
    settings: Settings = SETTINGS

    @classmethod
    def of(cls, counts: CountSummary, seed: int, settings: Settings = SETTINGS) -> Partition:
        """Split the words into blocks with about equally many pairs; the data alone decides their number."""
        n_words, n_contexts = len(counts.word_sums), len(counts.context_sums)
        n_blocks = number_of_blocks(min(n_words, n_contexts), settings)
        # in order of their pairs, words are dealt to the blocks, every second round backwards
        by_pairs = np.argsort(-counts.row_lengths, kind="stable")
        round_, position = np.divmod(np.arange(n_words), n_blocks)
        block_of = np.empty(n_words, np.int64)
        block_of[by_pairs] = np.where(round_ % 2, n_blocks - 1 - position, position)
        by_block = np.argsort(block_of, kind="stable").astype(np.int32)
        word_blocks = tuple(np.split(by_block, np.cumsum(np.bincount(block_of, minlength=n_blocks))[:-1]))
        return cls(seed, n_blocks, n_contexts, word_blocks, counts.word_sums, counts.context_sums, settings)

    def at(self, epoch: int) -> EpochPartition:
        """Return the blocks of contexts and the systematic-sampling offsets of an epoch."""
        order = self._random(1, epoch).permutation(self.n_contexts)
        offsets = np.arange(self.n_blocks + 1) * self.n_contexts // self.n_blocks
        block_of, row_of = np.empty(self.n_contexts, np.uint16), np.empty(self.n_contexts, np.int32)
        for b in range(self.n_blocks):
            members = order[offsets[b] : offsets[b + 1]]
            block_of[members], row_of[members] = b, np.arange(len(members))
        sampling = self._random(3, epoch).integers(1 << 32, size=len(self.word_sums), dtype=np.uint32)
        ends = np.cumsum(list(map(len, self.word_blocks)))[:-1]
        return EpochPartition(order, offsets, block_of, row_of, np.split(sampling, ends))

    def negative_weights(self, n_negatives: int, uniform: bool = False) -> NDArray[np.uint16]:
        """Return the negative-sampling weight of each context: 1, and, unless `uniform`, more if it is frequent.

        Frequent contexts score high and so decide most ranks. No weight is so large that a context comes more than once
        per sample on average.
        """
        if uniform:
            return np.ones(self.n_contexts, np.uint16)
        smallest = self.n_contexts // self.n_blocks
        frequency = self.context_sums**0.75
        frequency *= len(frequency) / (float(frequency.sum()) or 1.0)  # without pairs, no context is frequent
        extra = np.minimum(self.settings.frequent_negatives * frequency, max(0, smallest / n_negatives - 1))
        return np.asarray(1 + extra, dtype=np.uint16)

    def context_block(self, word_block: int, stratum: int) -> int:
        """Return the block of contexts that a block of words meets in a stratum; it meets each once per epoch."""
        return (word_block + stratum) % self.n_blocks

    def cell_seed(self, epoch: int, word_block: int, context_block: int) -> int:
        """Return the seed of a cell's random numbers."""
        seeds = np.random.SeedSequence(self.seed, spawn_key=(2, epoch, word_block, context_block))
        return int(seeds.generate_state(1, np.uint64)[0])

    def _random(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def number_of_blocks(n: int, settings: Settings = SETTINGS) -> int:
    """Return the power of two that splits `n` rows into blocks of the right size.

    Examples
    --------
    >>> from gensim_wordrank.training.partition import number_of_blocks
    >>> [number_of_blocks(n) for n in (12, 600, 1_750, 70_000, 150_000, 1_000_000)]
    [1, 2, 4, 8, 16, 64]
    """
    blocks = 1
    while (
        blocks < MAX_BLOCKS
        and n // (2 * blocks) >= settings.min_block
        and (blocks < settings.usual_blocks or n / blocks > settings.max_block)
    ):
        blocks *= 2
    return blocks


def choose_strata_per_batch(n_sampled: float, n_pairs: int, n_words: int, n_blocks: int) -> int:
    """Return for how many strata pairs are sampled at a time: few enough for them to be small beside the counts.

    `n_sampled` of the `n_pairs` are sampled in an epoch.

    Examples
    --------
    >>> from gensim_wordrank.training.partition import choose_strata_per_batch
    >>> [choose_strata_per_batch(n_sampled, 1_000_000, n_words=1000, n_blocks=8) for n_sampled in (0, 1e5, 5e5, 1e6)]
    [8, 8, 2, 1]
    """
    strata, most = n_blocks, SAMPLED_SHARE * COUNT_BYTES * n_pairs
    while strata > 1 and (
        PAIR_BYTES * n_sampled * strata / n_blocks > most or SIZE_BYTES * n_words * strata > max(most, ALL_SIZES_BYTES)
    ):
        strata //= 2
    return strata

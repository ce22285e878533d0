"""Who works on what, when, and with which random numbers: the paper's Algorithm 2 as a pure function of the data.

Words are cut into B blocks for good; contexts are dealt anew into B blocks every epoch. A cell is a block of words with
a block of contexts; the B cells of a stratum share no row, so they run at once, in any order, on any number of threads
or machines, and the result is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank.cooccurrence.matrix import Cooccurrence

# contexts a block holds: few enough for its vectors to stay in a processor's cache, many enough for fair samples
LARGEST_BLOCK, SMALLEST_BLOCK = 16384, 256
# enough for the cores of an ordinary machine, where the vocabulary allows it
USUAL_BLOCKS = 8
# in the urns from which contexts are sampled, copies of contexts by frequency^0.75 for each that every context has
FREQUENT = 4.0
# a block's number is one byte
MOST_BLOCKS = 256


@dataclass(frozen=True)
class ContextPartition:
    """One epoch's order of the contexts."""

    order: NDArray[np.int64]  # the contexts, block after block
    edges: NDArray[np.int64]  # where each block begins, and the end
    block_of: NDArray[np.uint8]  # the block of each context
    row_of: NDArray[np.int32]  # and its row there


@dataclass(frozen=True)
class Partition:
    """The blocks of a training run.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.matrix import Cooccurrence
    >>> from gensim_wordrank.training.partition import Partition
    >>> plan = Partition.of(Cooccurrence.from_matrix([[0, 1], [1, 0]]), seed=1)
    >>> plan.n_blocks, plan.context_block(word_block=0, stratum=0)
    (1, 0)
    """

    seed: int
    n_contexts: int
    word_blocks: tuple[NDArray[np.int32], ...]
    word_sums: NDArray[np.float64]  # all counts of each word
    context_sums: NDArray[np.float64]

    @classmethod
    def of(cls, counts: Cooccurrence, seed: int) -> Partition:
        """Cut the words into blocks that hold about equally many pairs, in a number that the data alone decides."""
        n_words, n_contexts = counts.shape
        n_blocks = number_of_blocks(min(n_words, n_contexts))
        # dealt like cards in order of their pairs, every second round backwards
        by_pairs = np.argsort(-np.diff(counts.indptr), kind="stable")
        turn, card = np.divmod(np.arange(n_words), n_blocks)
        block = np.where(turn % 2, n_blocks - 1 - card, card)
        word_blocks = tuple(np.sort(by_pairs[block == q]).astype(np.int32) for q in range(n_blocks))
        return cls(seed, n_contexts, word_blocks, *counts.marginals())  # checks the entries: kernels can trust them

    @property
    def n_blocks(self) -> int:
        """Number of blocks of words, and of contexts."""
        return len(self.word_blocks)

    def word_edges(self) -> NDArray[np.int64]:
        """Return where each block of words begins, and the end, when they stand one after the other."""
        return np.cumsum([0, *map(len, self.word_blocks)])

    def deal(self, epoch: int) -> ContextPartition:
        """Return the order of the contexts in an epoch."""
        random = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(1, epoch)))
        order = random.permutation(self.n_contexts)
        n_blocks = self.n_blocks
        edges = np.arange(n_blocks + 1) * self.n_contexts // n_blocks
        block_of, row_of = np.empty(self.n_contexts, np.uint8), np.empty(self.n_contexts, np.int32)
        for b in range(n_blocks):
            members = order[edges[b] : edges[b + 1]]
            block_of[members], row_of[members] = b, np.arange(len(members))
        return ContextPartition(order, edges, block_of, row_of)

    def walk(self, epoch: int) -> NDArray[np.uint32]:
        """Return where the drawing of each word's pairs starts in an epoch, in units of 2^-32."""
        random = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(3, epoch)))
        return random.integers(1 << 32, size=sum(map(len, self.word_blocks)), dtype=np.uint32)

    def copies(self, n_samples: int) -> NDArray[np.uint16]:
        """Return how often each context lies in the urn of its block: once, and again if it is frequent.

        Frequent contexts score high and so decide most ranks. None has more copies than make it come once in a sample.
        """
        smallest = self.n_contexts // self.n_blocks
        often = self.context_sums**0.75
        often *= len(often) / (float(often.sum()) or 1.0)  # without pairs, no context is frequent
        return np.asarray(1 + np.minimum(FREQUENT * often, max(0, smallest / n_samples - 1)), dtype=np.uint16)

    def context_block(self, word_block: int, stratum: int) -> int:
        """Return the block of contexts that a block of words meets in a stratum; in n_blocks strata it meets each."""
        return (word_block + stratum) % self.n_blocks

    def cell_seed(self, epoch: int, word_block: int, context_block: int) -> int:
        """Return the seed of a cell's random numbers."""
        key = (2, epoch, word_block, context_block)
        return int(np.random.SeedSequence(self.seed, spawn_key=key).generate_state(1, np.uint64)[0])


def number_of_blocks(n: int) -> int:
    """Return the power of two that cuts `n` rows into blocks of the right size.

    Examples
    --------
    >>> from gensim_wordrank.training.partition import number_of_blocks
    >>> [number_of_blocks(n) for n in (12, 600, 1_750, 70_000, 150_000, 1_000_000)]
    [1, 2, 4, 8, 16, 64]
    """
    blocks = 1
    while (
        blocks < MOST_BLOCKS
        and n // (2 * blocks) >= SMALLEST_BLOCK
        and (blocks < USUAL_BLOCKS or n / blocks > LARGEST_BLOCK)
    ):
        blocks *= 2
    return blocks

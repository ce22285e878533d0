"""The partition of words and contexts into blocks: each cell runs once, and cells of a stratum share no rows."""

import numpy as np
import pytest
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.partition import Partition, number_of_blocks

from problems import make_problem


@pytest.fixture(scope="module")
def counts():
    """Co-occurrence counts of 2,100 words, enough for eight blocks."""
    return make_problem(2100, 2100, 2, seed=1, density=0.01)[2].summarize()


def test_strata_cover_all_cells(counts):
    """The B strata cover all B^2 cells; within a stratum each word block and context block occurs once."""
    partition = Partition.of(counts, seed=1)
    strata = [[(q, partition.context_block(q, stratum)) for q in range(8)] for stratum in range(8)]
    cells = [cell for stratum in strata for cell in stratum]
    assert len(partition.word_blocks) == 8
    assert len(set(cells)) == len(cells) == 64
    for stratum in strata:
        assert len({q for q, _ in stratum}) == len({b for _, b in stratum}) == 8


def test_word_blocks_have_similar_numbers_of_pairs(counts):
    """Every word is in one block, and blocks have almost the same number of pairs."""
    blocks = Partition.of(counts, seed=1).word_blocks
    assert sorted(np.concatenate(blocks).tolist()) == list(range(2100))
    pairs = [counts.row_lengths[block].sum() for block in blocks]
    assert max(pairs) < 1.02 * min(pairs)


def test_contexts_are_shuffled_in_each_epoch(counts):
    """Context blocks are a permutation that depends only on epoch and seed."""
    partition = Partition.of(counts, seed=1)
    contexts = partition.at(0)
    assert sorted(contexts.order.tolist()) == list(range(2100))
    for b in range(8):
        members = contexts.block(b)
        assert (contexts.block_of[members] == b).all()
        assert contexts.row_of[members].tolist() == list(range(len(members)))
    assert (partition.at(0).order == contexts.order).all()
    assert (partition.at(1).order != contexts.order).any()
    assert (Partition.of(counts, seed=2).at(0).order != contexts.order).any()


def test_cells_have_different_seeds(counts):
    """No two cells of any epoch use the same random numbers."""
    partition = Partition.of(counts, seed=1)
    seeds = {partition.cell_seed(epoch, q, b) for epoch in range(10) for q in range(8) for b in range(8)}
    assert len(seeds) == 640


def test_negative_weights_without_pairs():
    """If all counts are zero, every context has the negative-sampling weight 1."""
    summary = Cooccurrence.from_matrix(np.zeros((9, 9))).summarize()
    assert Partition.of(summary, seed=1).negative_weights(2).tolist() == [1] * 9


@pytest.mark.parametrize("n", [1, 2, 255, 512, 1750, 70_000, 145_000, 10**6, 10**7, 10**8])
def test_number_of_blocks(n):
    """The number of blocks is a power of two, and blocks are neither too small nor too large."""
    blocks = number_of_blocks(n)
    assert blocks & (blocks - 1) == 0
    assert blocks == 1 or n // blocks >= SETTINGS.min_block
    assert n / blocks <= SETTINGS.max_block

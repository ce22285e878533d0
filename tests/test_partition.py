"""The partition: every cell runs once, cells of a stratum share no row, and everybody computes the same."""

import numpy as np
import pytest
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.partition import Partition, number_of_blocks

from problems import make_problem


@pytest.fixture(scope="module")
def counts():
    """Co-occurrences of 2,100 words, which make eight blocks."""
    return make_problem(2100, 2100, 2, seed=1, density=0.01)[2].summarize()


def test_every_cell_runs_once_and_strata_share_no_block(counts):
    """The B strata of B cells cover all B^2 cells; within a stratum no word block or context block comes twice."""
    partition = Partition.of(counts, seed=1)
    strata = [[(q, partition.context_block(q, stratum)) for q in range(8)] for stratum in range(8)]
    cells = [cell for stratum in strata for cell in stratum]
    assert len(partition.word_blocks) == 8
    assert len(set(cells)) == len(cells) == 64
    for stratum in strata:
        assert len({q for q, _ in stratum}) == len({b for _, b in stratum}) == 8


def test_words_are_cut_into_blocks_of_equally_many_pairs(counts):
    """Every word is in one block, and the blocks differ by little in pairs."""
    blocks = Partition.of(counts, seed=1).word_blocks
    assert sorted(np.concatenate(blocks).tolist()) == list(range(2100))
    pairs = [counts.row_lengths[block].sum() for block in blocks]
    assert max(pairs) < 1.02 * min(pairs)


def test_contexts_are_split_anew_every_epoch(counts):
    """The blocks are a permutation with consistent tables; epochs and seeds differ, the same epoch does not."""
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


def test_seeds_of_cells_differ(counts):
    """No two cells of any epoch draw the same random numbers."""
    partition = Partition.of(counts, seed=1)
    seeds = {partition.cell_seed(epoch, q, b) for epoch in range(10) for q in range(8) for b in range(8)}
    assert len(seeds) == 640


def test_without_pairs_no_context_is_frequent():
    """With a matrix of zeros every context has the negative-sampling weight 1."""
    summary = Cooccurrence.from_matrix(np.zeros((9, 9))).summarize()
    assert Partition.of(summary, seed=1).negative_weights(2).tolist() == [1] * 9


@pytest.mark.parametrize("n", [1, 2, 255, 512, 1750, 70_000, 145_000, 10**6, 10**8])
def test_blocks_have_a_sensible_size(n):
    """The number of blocks is a power of two, and blocks are neither tiny nor, while there is room, too large."""
    blocks = number_of_blocks(n)
    assert blocks & (blocks - 1) == 0
    assert blocks == 1 or n // blocks >= SETTINGS.min_block
    assert n / blocks <= SETTINGS.max_block or blocks == 256

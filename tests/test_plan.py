"""The plan: every cell once, no row shared, the same for everybody."""

import numpy as np
import pytest
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training.partition import LARGEST_BLOCK, SMALLEST_BLOCK, Partition, number_of_blocks

from problems import make_problem


@pytest.fixture(scope="module")
def counts():
    """Co-occurrences of 2,100 words, which make eight blocks."""
    return make_problem(2100, 2100, 2, seed=1, density=0.01)[2]


def test_every_cell_runs_once_and_strata_share_no_block(counts):
    """The B strata of B cells cover all B^2 cells; within a stratum no word block or context block comes twice."""
    plan = Partition.of(counts, seed=1)
    strata = [[(q, plan.context_block(q, stratum)) for q in range(8)] for stratum in range(8)]
    cells = [cell for stratum in strata for cell in stratum]
    assert len(plan.word_blocks) == 8
    assert len(set(cells)) == len(cells) == 64
    for stratum in strata:
        assert len({q for q, _ in stratum}) == len({b for _, b in stratum}) == 8


def test_words_are_cut_into_blocks_of_equally_many_pairs(counts):
    """Every word is in one block, and the blocks differ by little in pairs."""
    blocks = Partition.of(counts, seed=1).word_blocks
    assert sorted(np.concatenate(blocks).tolist()) == list(range(2100))
    pairs = [np.diff(counts.indptr)[block].sum() for block in blocks]
    assert max(pairs) < 1.02 * min(pairs)


def test_contexts_are_dealt_anew_every_epoch(counts):
    """A deal is a permutation with consistent tables; epochs and seeds differ, the same epoch does not."""
    plan = Partition.of(counts, seed=1)
    deal = plan.deal(0)
    assert sorted(deal.order.tolist()) == list(range(2100))
    for b in range(8):
        members = deal.order[deal.edges[b] : deal.edges[b + 1]]
        assert (deal.block_of[members] == b).all()
        assert deal.row_of[members].tolist() == list(range(len(members)))
    assert (plan.deal(0).order == deal.order).all()
    assert (plan.deal(1).order != deal.order).any()
    assert (Partition.of(counts, seed=2).deal(0).order != deal.order).any()


def test_seeds_of_cells_differ(counts):
    """No two cells of any epoch draw the same random numbers."""
    plan = Partition.of(counts, seed=1)
    seeds = {plan.cell_seed(epoch, q, b) for epoch in range(10) for q in range(8) for b in range(8)}
    assert len(seeds) == 640


def test_without_pairs_no_context_is_frequent():
    """A matrix of zeros gives every context one copy."""
    assert Partition.of(Cooccurrence.from_matrix(np.zeros((9, 9))), seed=1).copies(2).tolist() == [1] * 9


@pytest.mark.parametrize("n", [1, 2, 255, 512, 1750, 70_000, 145_000, 10**6, 10**8])
def test_blocks_have_a_sensible_size(n):
    """The number of blocks is a power of two, and blocks are neither tiny nor, while there is room, too large."""
    blocks = number_of_blocks(n)
    assert blocks & (blocks - 1) == 0
    assert blocks == 1 or n // blocks >= SMALLEST_BLOCK
    assert n / blocks <= LARGEST_BLOCK or blocks == 256

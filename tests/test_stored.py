"""Exact xi of all pairs, block by block."""

import numpy as np
import pytest
from gensim_wordrank.cooccurrence.csr import Csr, take_rows
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.stored import updated_xi

import oracle
from problems import make_problem


@pytest.mark.parametrize("pair_loss", ["hinge", "logistic"])
@pytest.mark.parametrize("rank_loss", ["identity", "log"])
def test_xi_is_equation_12(rank_loss, pair_loss):
    """xi is alpha / (rank + beta) with the exact rank, and 1 for rho_0, whichever rows make a block."""
    words, contexts, counts = make_problem(12, 17, 5, seed=3)
    objective = Objective(rank_loss, pair_loss, rank_scale=100, rank_offset=99)
    rows = [np.array([3, 11, 0, 5]), np.array([1, 2, 4, 6, 7, 8, 9, 10]), np.array([], int)]
    xi = updated_xi(objective, Csr(counts.data, counts.indices, counts.indptr), words, contexts, rows, workers=2)
    expected = 100 / (oracle.ranks(words, contexts, counts, pair_loss) + 99)
    np.testing.assert_allclose(xi, 1 if rank_loss == "identity" else expected, rtol=1e-5)


def test_blocks_alone_have_the_bytes_of_all_blocks(lee_pairs):
    """A machine that holds one block of words computes the bytes that one with all blocks does."""
    random = np.random.default_rng(0)
    n = lee_pairs.shape[0]
    words, contexts = (random.standard_normal((n, 21)).astype(np.float32) for _ in range(2))
    whole, blocks = Csr(lee_pairs.data, lee_pairs.indices, lee_pairs.indptr), Partition.of(lee_pairs.summarize(), 1)
    objective = Objective("log", "hinge", rank_scale=100, rank_offset=99)
    for workers in (1, 3):
        xi = updated_xi(objective, whole, words, contexts, blocks.word_blocks, workers)
        for block in blocks.word_blocks:
            part = np.sort(block)
            alone = updated_xi(
                objective, take_rows(whole, part), words[part], contexts, [np.searchsorted(part, block)], workers
            )
            pairs = np.concatenate([np.arange(whole.indptr[row], whole.indptr[row + 1]) for row in part])
            assert alone.tobytes() == xi[pairs].tobytes()

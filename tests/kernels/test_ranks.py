"""Exact ranks in O(|C| + |Omega_w|) per word against the double loop, and xi against equation (12)."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gensim_wordrank import _ranks
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.objective.ranks import map_ranks
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import oracle
from problems import make_problem

LOSSES = [loss.value for loss in PairLoss]
KERNELS = {"hinge": _ranks.hinge_ranks, "logistic": _ranks.logistic_ranks}


def all_ranks(words, contexts, counts, pair_loss, workers=1):
    """Return the ranks of all pairs, computed tile by tile."""
    tiles = map_ranks(lambda pairs, ranks: ranks, words, contexts, counts, PairLoss(pair_loss), workers)
    return np.concatenate(list(tiles))


def run_kernel(pair_loss, scores, columns):
    """Return the ranks of one row of scores."""
    ranks = np.full(len(columns), np.nan)
    indptr = np.array([0, len(columns)], np.int64)
    KERNELS[pair_loss](np.asarray(scores, np.float32)[None], indptr, np.asarray(columns, np.int32), ranks)
    return ranks


@pytest.mark.parametrize("pair_loss", LOSSES)
@given(
    n_words=st.integers(1, 12),
    n_contexts=st.integers(1, 60),
    size=st.integers(1, 9),
    seed=st.integers(0, 10**6),
    density=st.sampled_from([0.1, 0.5, 1.0]),
    scale=st.sampled_from([0.01, 1.0, 4.0]),
)
@settings(max_examples=40, deadline=None)
def test_ranks_equal_the_double_loop(pair_loss, n_words, n_contexts, size, seed, density, scale):
    """Ranks of random matrices of any shape, with words without pairs, agree to 1e-5 relative.

    The error of a float32 score is up to about 1e-6 of the largest product, and so is that of each of the |C| terms.
    """
    words, contexts, counts = make_problem(n_words, n_contexts, size, seed, density, scale)
    largest = float(np.abs(words).max() * np.abs(contexts).max()) * size
    np.testing.assert_allclose(
        all_ranks(words, contexts, counts, pair_loss),
        oracle.ranks(words, contexts, counts, pair_loss),
        rtol=1e-5,
        atol=1e-7 * (1 + largest) * n_contexts,
    )


@pytest.mark.parametrize("pair_loss", LOSSES)
@given(
    n_contexts=st.integers(1, 400),
    n_pairs=st.integers(1, 200),
    spread=st.sampled_from([0.01, 1.0, 10.0, 100.0]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=100, deadline=None)
def test_ranks_of_given_scores_are_exact(pair_loss, n_contexts, n_pairs, spread, seed):
    """For the same float32 scores, the one-pass sums agree with the definition to 1e-5 relative.

    Where a hinge is almost zero, s_c - 1 in float32 has an absolute error of a few units in the last place of s_c.
    """
    random = np.random.default_rng(seed)
    scores = (random.standard_normal(n_contexts) * spread).astype(np.float32)
    columns = random.integers(0, n_contexts, n_pairs)
    s, loss = scores.astype(np.float64), oracle.PAIR_LOSSES[pair_loss]
    expected = [loss(s[c] - s).sum() - loss(0.0) for c in columns]
    np.testing.assert_allclose(
        run_kernel(pair_loss, scores, columns), expected, rtol=1e-5, atol=1e-7 * max(1, spread) * 10
    )


@pytest.mark.parametrize("pair_loss", LOSSES)
@given(
    scores=st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 1.5, 2.0]), min_size=1, max_size=40),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_ties_and_scores_on_the_margin(pair_loss, scores, data):
    """Equal scores, and scores exactly at a threshold s - 1, are counted as in the definition."""
    columns = data.draw(st.lists(st.integers(0, len(scores) - 1), max_size=20))
    loss = oracle.PAIR_LOSSES[pair_loss]
    expected = [sum(loss(scores[c] - s) for d, s in enumerate(scores) if d != c) for c in columns]
    np.testing.assert_allclose(run_kernel(pair_loss, scores, columns), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("pair_loss", LOSSES)
@given(
    scores=st.lists(st.floats(-1e4, 1e4, width=32) | st.floats(-(2**-126), 2**-126, width=32), min_size=1, max_size=30),
    data=st.data(),
)
@settings(max_examples=150, deadline=None)
def test_scores_from_denormals_to_thousands(pair_loss, scores, data):
    """Rows with scores from denormals to thousands give ranks within the precision of float32."""
    columns = data.draw(st.lists(st.integers(0, len(scores) - 1), min_size=1, max_size=20))
    s, loss = np.array(scores, np.float64), oracle.PAIR_LOSSES[pair_loss]
    expected = [loss(s[c] - s).sum() - loss(0.0) for c in columns]
    tolerance = 1e-6 + 1.2e-7 * np.abs(s).max() * len(s)  # of s_c - 1 in float32
    np.testing.assert_allclose(run_kernel(pair_loss, scores, columns), expected, rtol=1e-5, atol=tolerance)


@pytest.mark.parametrize("score", [-7.5 + 2**-21, -1023.5 + 2**-14, 100.3])
@pytest.mark.parametrize("pair_loss", LOSSES)
def test_equal_scores_have_loss_one_each(pair_loss, score):
    """However s - 1 is rounded, each of three equal scores adds l(0) = 1."""
    np.testing.assert_allclose(run_kernel(pair_loss, np.full(4, score), [0, 2]), 3, rtol=1e-9)


@pytest.mark.parametrize("pair_loss", LOSSES)
def test_one_context_has_rank_zero(pair_loss):
    """With a single context every rank is 0."""
    np.testing.assert_allclose(run_kernel(pair_loss, [3.0], [0]), [0.0], atol=1e-7)


@pytest.mark.parametrize("pair_loss", LOSSES)
def test_an_outlier_does_not_change_the_answer(pair_loss):
    """One huge score, which puts all others into one bin, leaves the ranks correct."""
    random = np.random.default_rng(1)
    scores = np.append(random.standard_normal(3000), [1e7]).astype(np.float32)
    columns = np.arange(0, 3001, 7)
    loss = oracle.PAIR_LOSSES[pair_loss]
    s = scores.astype(np.float64)
    expected = [loss(s[c] - s).sum() - loss(0.0) for c in columns]
    np.testing.assert_allclose(run_kernel(pair_loss, scores, columns), expected, rtol=1e-5)


def test_logistic_ranks_keep_their_error_bound():
    """The error is below 6e-8 (rank + 1) over the whole range of scores, including tails beyond the band."""
    random = np.random.default_rng(2)
    scores = np.concatenate([random.normal(0, 3, 2000), random.uniform(-90, 90, 500)]).astype(np.float32)
    columns = np.arange(len(scores))
    s = scores.astype(np.float64)
    expected = np.array([np.logaddexp2(0, s - s[c]).sum() - 1 for c in columns])
    error = np.abs(run_kernel("logistic", scores, columns) - expected) / (expected + 1)
    assert error.max() < 6e-8


@pytest.mark.parametrize("pair_loss", LOSSES)
def test_threads_give_the_same_bytes(pair_loss):
    """The kernel gives the same bytes on many threads at once, and so do tiles on several workers."""
    words, contexts, counts = make_problem(200, 300, 8, seed=5)
    once = all_ranks(words, contexts, counts, pair_loss)
    scores = np.random.default_rng(0).standard_normal((1, 5000), dtype=np.float32)
    alone = run_kernel(pair_loss, scores[0], np.arange(0, 5000, 3)).tobytes()
    with ThreadPoolExecutor(8) as pool:
        many = pool.map(lambda _: run_kernel(pair_loss, scores[0], np.arange(0, 5000, 3)).tobytes(), range(24))
        assert set(many) == {alone}
    for workers in (2, 3, 8):
        assert all_ranks(words, contexts, counts, pair_loss, workers).tobytes() == once.tobytes()


def test_tiles_do_not_change_the_ranks(monkeypatch):
    """The ranks do not depend on the size of tiles."""
    import gensim_wordrank.objective.ranks as module

    words, contexts, counts = make_problem(50, 40, 6, seed=8)
    whole = all_ranks(words, contexts, counts, "hinge")
    monkeypatch.setattr(module, "TILE_BYTES", 4 * 40 * 7)
    np.testing.assert_allclose(all_ranks(words, contexts, counts, "hinge"), whole, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("pair_loss", LOSSES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 3e38])
def test_scores_that_are_not_finite_raise(pair_loss, bad):
    """Scores of a diverged model raise FloatingPointError."""
    with pytest.raises(FloatingPointError, match="finite"):
        run_kernel(pair_loss, [0.0, bad, 1.0], [0, 1])


@pytest.mark.parametrize("pair_loss", LOSSES)
def test_tiles_of_wrong_shape_raise(pair_loss):
    """Columns outside the scores and an inconsistent indptr raise ValueError."""
    scores, ranks = np.zeros((1, 3), np.float32), np.empty(1)
    indptr = np.array([0, 1], np.int64)
    for columns in ([3], [-1]):
        with pytest.raises(ValueError, match="outside"):
            KERNELS[pair_loss](scores, indptr, np.array(columns, np.int32), ranks)
    with pytest.raises(ValueError, match="sizes"):
        KERNELS[pair_loss](scores, indptr, np.zeros(1, np.int32), np.empty(2))
    with pytest.raises(ValueError, match="one column per context"):
        KERNELS[pair_loss](scores[:, :0].copy(), np.zeros(2, np.int64), np.zeros(0, np.int32), np.empty(0))
    with pytest.raises(ValueError, match="outside columns"):
        KERNELS[pair_loss](scores, np.array([0, 2], np.int64), np.zeros(1, np.int32), np.empty(2))


def test_a_model_without_pairs_has_no_ranks():
    """An empty matrix has no ranks."""
    vectors = np.ones((4, 3), np.float32)
    assert len(all_ranks(vectors, vectors, Cooccurrence.from_matrix(csr_matrix((4, 4))), "hinge")) == 0


@pytest.mark.parametrize("rank_offset", [0.0, 2.5])
def test_xi_follows_equation_12(rank_offset):
    """xi is alpha / (rank + beta), rounded to float32, and infinite where both are 0."""
    ranks, xi = np.array([0.0, 1e-3, 7.0, 1e9]), np.empty(4, np.float32)
    _ranks.update_xi(ranks, 5.0, rank_offset, xi)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(xi, (5.0 / (ranks + rank_offset)).astype(np.float32))
    with pytest.raises(ValueError, match="same length"):
        _ranks.update_xi(ranks, 5.0, rank_offset, xi[:3])

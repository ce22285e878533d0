"""The objective, its bound and its weights, compared with the oracle and with finite differences."""

import itertools

import numpy as np
import pytest
from gensim_wordrank import Objective
from gensim_wordrank.objective.losses import PairLoss, RankLoss

import oracle
from problems import make_problem

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))
VARIANTS = [
    {},
    {"weighted": False},
    {"rank_scale": 3.0, "rank_offset": 0.5, "t": 2.5, "x_max": 10.0, "epsilon": 0.5, "discount": 0.4, "l2": 0.3},
]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_value_and_bound_equal_the_oracle(problem, rank_loss, pair_loss, options):
    """Equations (9) and (11), with weights on and off, any alpha, beta and t, and L2."""
    words, contexts, counts = problem
    objective = Objective(rank_loss, pair_loss, **options)
    assert objective.value(words, contexts, counts) == pytest.approx(
        oracle.value(words, contexts, counts, objective), rel=1e-5
    )
    xi = np.random.default_rng(1).uniform(0.1, 3.0, counts.nnz)
    assert objective.bound(words, contexts, counts, xi) == pytest.approx(
        oracle.bound(words, contexts, counts, objective, xi), rel=1e-5
    )


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_gradients_equal_finite_differences(rank_loss, pair_loss):
    """The gradient of J, and of its bound at any xi, agrees with central differences in every coordinate."""
    words, contexts, counts = make_problem(3, 6, 2, seed=9, density=0.6)
    words, contexts = words.astype(np.float64), contexts.astype(np.float64)
    objective = Objective(rank_loss, pair_loss, rank_scale=3.0, rank_offset=1.0, l2=0.2)
    xi = np.random.default_rng(1).uniform(0.1, 3.0, counts.nnz)
    functions = [
        (lambda u, v: oracle.value(u, v, counts, objective), oracle.value_gradient(words, contexts, counts, objective)),
        (
            lambda u, v: oracle.bound(u, v, counts, objective, xi),
            oracle.bound_gradient(words, contexts, counts, objective, xi),
        ),
    ]
    h = 1e-6
    for function, (grad_words, grad_contexts) in functions:
        for matrix, gradient in ((words, grad_words), (contexts, grad_contexts)):
            for i in np.ndindex(matrix.shape):
                matrix[i] += h
                above = function(words, contexts)
                matrix[i] -= 2 * h
                below = function(words, contexts)
                matrix[i] += h
                assert gradient[i] == pytest.approx((above - below) / (2 * h), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_bound_is_tight_at_the_exact_xi(problem, rank_loss, pair_loss):
    """At xi of equation (12) the bound equals J; at other xi it is larger (for linear rho_0 it is always J)."""
    words, contexts, counts = problem
    objective = Objective(rank_loss, pair_loss, rank_scale=5.0, rank_offset=1.0)
    value = objective.value(words, contexts, counts)
    xi = objective.exact_xi(words, contexts, counts)
    assert objective.bound(words, contexts, counts, xi) == pytest.approx(value, rel=1e-6)
    for seed in range(20):
        other = xi * np.random.default_rng(seed).uniform(0.3, 3.0, len(xi))
        bound = objective.bound(words, contexts, counts, other)
        if rank_loss == "identity":
            assert bound == pytest.approx(value, rel=1e-6)
        else:
            assert bound > value * (1 + 1e-6) if value > 0 else bound > value


@pytest.mark.parametrize("pair_loss", [loss.value for loss in PairLoss])
def test_exact_xi_follows_equation_12(problem, pair_loss):
    """xi = alpha / (rank + beta), with the ranks of the oracle."""
    words, contexts, counts = problem
    objective = Objective(pair_loss=pair_loss)
    expected = objective.rank_scale / (oracle.ranks(words, contexts, counts, pair_loss) + objective.rank_offset)
    for workers in (1, 3):
        np.testing.assert_allclose(objective.exact_xi(words, contexts, counts, workers), expected, rtol=1e-5)


def test_weights_follow_equation_4(problem):
    """Weights are (X / x_max)^epsilon, at most 1; without weighting all are 1."""
    x = np.array([0.01, 1, 50, 100, 101, 1e6], np.float32)
    np.testing.assert_allclose(Objective(x_max=100).weights(x), [1e-4**0.75, 0.01**0.75, 0.5**0.75, 1, 1, 1], rtol=1e-5)
    np.testing.assert_array_equal(Objective(weighted=False).weights(x), np.ones(6))


def test_robirank_is_a_special_case(problem):
    """rho_1 with the logistic bound, r = 1, alpha = 1, beta = 0 is RobiRank's objective: the sum of log2(1 + rank)."""
    words, contexts, counts = problem
    robirank = Objective(rank_loss="log", pair_loss="logistic", weighted=False, rank_scale=1, rank_offset=0, l2=0)
    ranks = oracle.ranks(words, contexts, counts, "logistic")
    assert robirank.value(words, contexts, counts) == pytest.approx(np.log2(1 + ranks).sum(), rel=1e-5)
    xi = robirank.exact_xi(words, contexts, counts)
    np.testing.assert_allclose(1 / xi.astype(np.float64), ranks, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rank_loss": "cube"}, "'rank_loss' must be one of 'identity', 'log', 'dcg', 'log_t'. Got 'cube'"),
        ({"pair_loss": "cube"}, "'pair_loss' must be one of"),
        ({"rank_scale": 0}, "'rank_scale' must be a number above 0, from 1e-30, up to 1e\\+30. Got 0"),
        ({"rank_scale": -1}, "'rank_scale' must be a number above 0"),
        ({"rank_offset": -1}, "'rank_offset' must be a number, 0 or above, up to 1e\\+30. Got -1"),
        ({"t": 1}, "'t' must be other than 1. Got 1 instead. .*rank_loss='log'"),
        ({"t": -0.5}, "'t' must be a number above 0"),
        ({"rank_loss": "log_t", "rank_offset": 0}, "'rank_offset' must be above 0 with rank_loss='log_t'"),
        ({"x_max": 0}, "'x_max'"),
        ({"epsilon": float("nan")}, "'epsilon'"),
        ({"discount": -1}, "'discount'"),
        ({"l2": -1}, "'l2'"),
    ],
)
def test_invalid_parameters(options, message):
    """Each error names the parameter, what is allowed and what was given."""
    with pytest.raises(ValueError, match=message):
        Objective(**options)


def test_l2_is_stronger_on_few_pairs():
    """Below 50 million pairs the effective L2 grows as 1 / pairs, to twice its value at 25 million and below."""
    objective = Objective(l2=0.01)
    large = objective.effective_l2(1000, 10**9)
    more = [
        objective.effective_l2(1000, n_pairs) / large for n_pairs in (0, 1, 10**7, 32 * 10**6, 40 * 10**6, 5 * 10**7)
    ]
    assert more == pytest.approx([2.0, 2.0, 2.0, 1.5625, 1.25, 1.0])

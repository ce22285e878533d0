"""Stage 1 of Algorithm 1 against the paper's pseudo-code and the gradient of the bound."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gensim_wordrank import _triplets
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.objective import Objective
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from problems import make_problem

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))


def run(words, contexts, counts, objective, xi, n_triplets, learning_rate, seed=1):
    """Run the kernel on copies of U and V; return the copies, the loss and the weight of the triplets."""
    words, contexts = words.copy(), contexts.copy()
    options = _triplets.TripletOptions(
        **objective.kernel_options(),
        l2=oracle.effective_l2(objective, len(contexts), counts.nnz), learning_rate=learning_rate,
    )  # fmt: skip
    weights = objective.weights_of(counts)(slice(None))
    total, weight = _triplets.run_triplets(
        words, contexts, (counts.indptr, counts.indices), weights, xi, n_triplets, options, seed
    )
    return words, contexts, total, weight


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_kernel_is_algorithm_1(rank_loss, pair_loss):
    """With the same random numbers, the kernel and the pseudo-code in float64 give the same U, V and loss."""
    words, contexts, counts = make_problem(6, 9, 7, seed=4, density=0.5)
    objective = Objective(rank_loss, pair_loss, rank_scale=5.0, rank_offset=2.0, l2=0.01)
    xi = np.random.default_rng(0).uniform(0.2, 2.0, counts.nnz).astype(np.float32)
    ours = run(words, contexts, counts, objective, xi, 300, learning_rate=0.05, seed=11)
    theirs = oracle.algorithm_1(words, contexts, counts, objective, xi, 300, learning_rate=0.05, seed=11)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-4)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-4)
    assert ours[2:] == pytest.approx(theirs[2:], rel=1e-4)


@given(
    n_words=st.integers(1, 9),
    n_contexts=st.integers(2, 12),
    size=st.integers(1, 40),
    density=st.sampled_from([0.2, 1.0]),
    scale=st.sampled_from([1e-42, 0.1, 1.0]),
    equal=st.booleans(),
    losses=st.sampled_from(COMBINATIONS),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=80, deadline=None)
def test_kernel_is_algorithm_1_on_any_shape(n_words, n_contexts, size, density, scale, equal, losses, seed):
    """The same holds for any shape, empty rows, equal contexts and denormal vectors."""
    words, contexts, counts = make_problem(n_words, n_contexts, size, seed, density, scale)
    contexts = np.repeat(contexts[:1], n_contexts, axis=0) if equal else contexts
    # with a discount of 1, the excess of a single row would be only the rounding error of float32
    objective = Objective(*losses, rank_scale=5.0, rank_offset=2.0, discount=0.3, l2=0.01)
    xi = np.random.default_rng(0).uniform(0.2, 2.0, counts.nnz).astype(np.float32)
    n_triplets = 40 if counts.nnz else 0
    ours = run(words, contexts, counts, objective, xi, n_triplets, learning_rate=0.01, seed=seed)
    theirs = oracle.algorithm_1(words, contexts, counts, objective, xi, n_triplets, learning_rate=0.01, seed=seed)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3, atol=1e-4)
    assert ours[2:] == pytest.approx(theirs[2:], rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_mean_update_is_the_gradient_of_the_bound(rank_loss, pair_loss):
    """The mean update over many triplets is -eta alpha / (|Omega| (|C| - 1)) times the gradient of equation (11)."""
    words, contexts, counts = make_problem(4, 5, 3, seed=2, density=0.6)
    objective = Objective(rank_loss, pair_loss, rank_scale=3.0, rank_offset=2.0, l2=0.1)
    xi = np.random.default_rng(0).uniform(0.2, 2.0, counts.nnz).astype(np.float32)
    start = np.vstack([words, contexts]).astype(np.float64)
    runs = [run(words, contexts, counts, objective, xi, 1, 1.0, seed) for seed in range(20_000)]
    moves = np.array([np.vstack(each[:2]) for each in runs]) - start
    gradient = np.vstack(oracle.bound_gradient(words, contexts, counts, objective, xi))
    expected = -objective.rank_scale / (counts.nnz * (len(contexts) - 1)) * gradient
    noise = moves.std(axis=0) / np.sqrt(len(moves))
    assert (np.abs(moves.mean(axis=0) - expected) <= 5 * noise + 1e-7).all()
    losses = np.array([each[2] for each in runs]) * counts.nnz
    exact = oracle.bound(words, contexts, counts, objective, xi) - oracle.penalty(words, contexts, counts, objective)
    assert abs(losses.mean() - exact) <= 5 * losses.std() / np.sqrt(len(losses))


def test_threads_give_the_same_bytes():
    """The kernel gives the same bytes when many threads run it at once on separate arrays."""
    words, contexts, counts = make_problem(100, 100, 20, seed=6)
    xi = np.ones(counts.nnz, np.float32)
    alone = run(words, contexts, counts, Objective(), xi, 50_000, 0.01)
    with ThreadPoolExecutor(8) as pool:
        many = list(pool.map(lambda _: run(words, contexts, counts, Objective(), xi, 50_000, 0.01), range(16)))
    for each in many:
        assert each[0].tobytes() == alone[0].tobytes()
        assert each[1].tobytes() == alone[1].tobytes()
        assert each[2] == alone[2]


def test_without_triplets_nothing_changes():
    """With a single context no triplet exists: the loss is 0 and the vectors stay the same."""
    words, contexts, counts = make_problem(3, 1, 4, seed=1, density=1.0)
    after = run(words, contexts, counts, Objective(), np.ones(counts.nnz, np.float32), 10, 0.1)
    assert after[2] == 0.0
    np.testing.assert_array_equal(after[0], words)


def test_inconsistent_arrays_raise(problem):
    """Inconsistent sizes and columns outside the contexts raise ValueError."""
    words, contexts, counts = problem
    with pytest.raises(ValueError, match="entry per pair"):
        run(words, contexts, counts, Objective(), np.ones(counts.nnz - 1, np.float32), 10, 0.1)
    with pytest.raises(ValueError, match="outside"):
        run(words, contexts[:5], counts, Objective(), np.ones(counts.nnz, np.float32), 10, 0.1)
    with pytest.raises(ValueError, match="row per word"):
        run(words[:5], contexts, counts, Objective(), np.ones(counts.nnz, np.float32), 10, 0.1)
    with pytest.raises(ValueError, match="one size"):
        run(words, contexts[:, :2].copy(), counts, Objective(), np.ones(counts.nnz, np.float32), 10, 0.1)

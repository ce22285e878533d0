"""The fast solver's kernel against the exact gradient of J."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import gensim_wordrank.plan
import gensim_wordrank.sampled
import numpy as np
import pytest
from gensim_wordrank import _sampled
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.losses import PairLoss, RankLoss
from gensim_wordrank.objective import Objective
from gensim_wordrank.plan import Plan
from gensim_wordrank.sampled import DRAWS, sampled_epoch
from gensim_wordrank.state import State

import oracle
from problems import make_problem

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))
HUGE = 1e12  # of past gradients, beside which new ones are nothing: every step is then step / sqrt(HUGE)


def make_state(words, contexts, seed=0, past=HUGE):
    """A state with a random bias."""
    bias = np.random.default_rng(seed).standard_normal(len(contexts)).astype(np.float32)
    pasts = [np.full(len(matrix), past, np.float32) for matrix in (words, contexts)]
    return State(words, contexts, bias, *pasts)


def exact_gradient(state, counts, objective):
    """Gradient of J with respect to U, V and the bias, by the oracle on (u, 1) and (v, bias)."""
    grad_words, grad_contexts = oracle.value_gradient(*state.with_bias(), counts, objective)
    return grad_words[:, :-1], grad_contexts[:, :-1], grad_contexts[:, -1]


def moves(state, counts, objective, step, seed):
    """How far one epoch moves U, V and the bias, for a step of 1 and a draw a pair."""
    new, loss = sampled_epoch(state, counts, objective, Plan.of(counts, seed), step * np.sqrt(HUGE), 1)
    parts = ((new.words, state.words), (new.contexts, state.contexts), (new.bias, state.bias))
    return [(a.astype(np.float64) - b) / (step * DRAWS) for a, b in parts], loss


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_steps_are_exact_when_the_sample_is_everything(rank_loss, pair_loss):
    """With all contexts sampled and all pairs drawn, an epoch of small steps goes down the gradient of J itself."""
    words, contexts, counts = make_problem(10, 40, 6, seed=5, density=0.3)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)  # every pair is due more than once
    objective = Objective(rank_loss, pair_loss, rank_scale=7.0, rank_offset=1.0, l2=0.05)
    state = make_state(words, contexts)
    moved, loss = moves(state, counts, objective, 1e-5, seed=3)
    for move, gradient in zip(moved, exact_gradient(state, counts, objective), strict=True):
        np.testing.assert_allclose(-move, gradient, atol=0.02 * np.abs(gradient).max())
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    assert loss == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize("pair_loss", [loss.value for loss in PairLoss])
def test_steps_are_unbiased_where_the_rank_loss_is_linear(pair_loss, monkeypatch):
    """Over deals, samples and draws, the mean step is the gradient, with several blocks, small samples, rare draws."""
    monkeypatch.setattr(gensim_wordrank.plan, "SMALLEST_BLOCK", 8)
    monkeypatch.setattr(gensim_wordrank.sampled, "SAMPLES", 5)
    words, contexts, counts = make_problem(33, 33, 3, seed=6, density=0.4)
    counts.data[:] = np.random.default_rng(1).exponential(1.0, counts.nnz) + 0.05
    objective = Objective("identity", pair_loss, l2=0.05)
    assert (DRAWS * objective.weights(counts.data) < 1).mean() > 0.5
    assert len(Plan.of(counts, 0).word_blocks) == 4
    state = make_state(words, contexts)
    runs = [moves(state, counts, objective, 1e-4, seed) for seed in range(3000)]
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    losses = np.array([loss for _, loss in runs])
    assert abs(losses.mean() - value) < 5 * losses.std() / np.sqrt(len(losses))
    for part, gradient in enumerate(exact_gradient(state, counts, objective)):
        sample = -np.array([moved[part] for moved, _ in runs])
        noise = sample.std(axis=0) / np.sqrt(len(sample))
        # rounding of float32 and the drift within an epoch add a little
        assert (np.abs(sample.mean(axis=0) - gradient) < 5 * noise + 0.01 * np.abs(gradient).max()).all()


def run_cell(words, contexts, counts, n_samples=16, seed=1, **options):
    """One cell that holds everything, on copies; returns them and the loss."""
    size = words.shape[1]
    stride = -(-(size + 1) // _sampled.LANES) * _sampled.LANES
    padded = [np.zeros((len(matrix), stride), np.float32) for matrix in (words, contexts)]
    padded[0][:, :size], padded[1][:, :size], padded[0][:, size] = words, contexts, 1
    past = [np.full(len(matrix), 0.1, np.float32) for matrix in (words, contexts)]
    n = len(contexts)
    arguments = {
        "words": padded[0], "word_past": past[0],
        "walk": np.linspace(0, 0.9, len(words), dtype=np.float32),
        "contexts": padded[1], "context_past": past[1],
        "word_ids": np.arange(len(words), dtype=np.int32),
        "indptr": counts.indptr, "columns": counts.indices, "counts": counts.data,
        "block_of": np.zeros(n, np.uint8), "row_of": np.arange(n, dtype=np.int32), "block": 0,
        "vector_size": size, "n_samples": n_samples, "draws": 20.0,
        "rank_loss": 1, "pair_loss": 0, "t": 1.5, "rank_scale": 10.0, "rank_offset": 1.0,
        "x_max": 100.0, "epsilon": 0.75, "l2": 0.01, "step": 0.1, "seed": seed, **options,
    }  # fmt: skip
    loss = _sampled.run_cell(**arguments)
    return arguments["words"], arguments["contexts"], loss


def test_threads_give_the_same_bytes():
    """The kernel, rerun from many threads at once on arrays of its own, gives the same bytes."""
    words, contexts, counts = make_problem(120, 130, 20, seed=7)
    alone = [part.tobytes() for part in run_cell(words, contexts, counts)[:2]]
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: run_cell(words, contexts, counts), range(24)):
            assert [part.tobytes() for part in result[:2]] == alone


def test_the_padding_stays_zero_and_the_bias_of_words_one():
    """Coordinates behind the vectors are never touched, but for the bias of contexts."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    new_words, new_contexts, _ = run_cell(words, contexts, counts)
    assert (new_words[:, 20] == 1).all()
    assert not new_words[:, 21:].any()
    assert not new_contexts[:, 21:].any()
    assert new_contexts[:, 20].any()


@pytest.mark.parametrize("n_contexts", [1, 2, 3, 9, 17])
@pytest.mark.parametrize("size", [1, 15, 16, 31])
def test_any_number_of_contexts_and_any_size(n_contexts, size):
    """Samples and vectors that fill no register whole are handled; one context alone moves nothing."""
    words, contexts, counts = make_problem(5, n_contexts, size, seed=2, density=1.0)
    new_words, new_contexts, loss = run_cell(words, contexts, counts, n_samples=n_contexts)
    assert np.isfinite(new_words).all()
    assert np.isfinite(new_contexts).all()
    assert (loss > 0) == (n_contexts > 1)
    assert (new_words[:, :size] != words).any() == (n_contexts > 1)


def test_a_cell_without_pairs_moves_nothing():
    """No pairs, no step."""
    words, contexts, _ = make_problem(5, 6, 4, seed=2)
    empty = Cooccurrence.from_matrix(np.zeros((5, 6)))
    assert run_cell(words, contexts, empty, n_samples=6)[2] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 51}, "n_samples"),
        ({"word_ids": np.full(40, 40, np.int32)}, "no row in the counts"),
        ({"word_past": np.ones(39, np.float32)}, "no id, no walk or no past"),
        ({"vector_size": 32}, "room for the bias"),
        ({"row_of": np.full(50, 50, np.int32)}, "row_of"),
        ({"block_of": np.zeros(49, np.uint8)}, "block_of"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    """What would lead outside the arrays never reaches the loops."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    with pytest.raises(ValueError, match=message):
        run_cell(words, contexts, counts, **change)

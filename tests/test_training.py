"""Epochs that lower the objective, the same for everyone, and never end in NaN."""

import itertools

import numpy as np
import pytest
from gensim_wordrank import Objective, training
from gensim_wordrank.cooccurrence import count_cooccurrences
from gensim_wordrank.corpus import encode
from gensim_wordrank.losses import PairLoss, RankLoss

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))


@pytest.fixture(scope="module")
def toy(two_worlds):
    """Co-occurrences of the toy corpus."""
    ids = {word: i for i, word in enumerate(sorted({word for sentence in two_worlds for word in sentence}))}
    return count_cooccurrences(encode(two_worlds, ids)[0], len(ids), window=5)


def new_state(counts, size=10):
    """Start vectors for the toy corpus."""
    return training.State(*(training.start_vectors(counts.shape[0], size, 1, part) for part in (0, 1)))


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_objective_and_bound_fall_over_epochs(toy, rank_loss, pair_loss):
    """Ten epochs of Algorithm 1 lower J, and the bound at the xi they began with, for every pair of losses."""
    objective = Objective(rank_loss, pair_loss, rank_scale=10.0, rank_offset=1.0)
    state = new_state(toy)
    xi = objective.exact_xi(state.words, state.contexts, toy)
    before = objective.value(state.words, state.contexts, toy), objective.bound(state.words, state.contexts, toy, xi)
    losses = list(training.run_epochs(state, toy, objective, 10, 0.01, 0.01, seed=1, workers=1))
    value = objective.value(state.words, state.contexts, toy)
    assert value < before[0]
    assert objective.bound(state.words, state.contexts, toy, xi) < before[1]
    assert losses[-1] < losses[0]
    assert losses[-1] == pytest.approx(value, rel=0.2)


def test_workers_do_not_change_a_byte(toy):
    """1, 2, 3 and 8 threads give the same vectors."""
    results = set()
    for workers in (1, 2, 3, 8):
        state = new_state(toy)
        losses = list(training.run_epochs(state, toy, Objective(), 3, 0.01, 0.001, seed=7, workers=workers))
        results.add((state.words.tobytes(), state.contexts.tobytes(), tuple(losses)))
    assert len(results) == 1


def test_seed_changes_the_vectors(toy):
    """Another seed draws other triplets."""
    first, second = new_state(toy), new_state(toy)
    list(training.run_epochs(first, toy, Objective(), 1, 0.01, 0.01, seed=1, workers=1))
    list(training.run_epochs(second, toy, Objective(), 1, 0.01, 0.01, seed=2, workers=1))
    assert (first.words != second.words).any()


def test_two_runs_of_one_epoch_are_one_run_of_two(toy):
    """The random numbers depend on the epochs done, so training can be cut anywhere."""
    whole, cut = new_state(toy), new_state(toy)
    list(training.run_epochs(whole, toy, Objective(), 2, 0.01, 0.01, seed=1, workers=1))
    for _ in range(2):
        list(training.run_epochs(cut, toy, Objective(), 1, 0.01, 0.01, seed=1, workers=1))
    assert whole.words.tobytes() == cut.words.tobytes()
    assert whole.epoch == cut.epoch == 2


def test_a_diverging_epoch_is_undone_and_said(toy):
    """With an absurd learning rate the run stops by name of the epoch, and the last good vectors are there."""
    state = new_state(toy)
    with pytest.raises(FloatingPointError, match=r"diverged in epoch \d+ of 50 .*Lower 'alpha' \(now 1e\+20\)"):
        for _ in training.run_epochs(state, toy, Objective(), 50, 1e20, 1e20, seed=1, workers=2):
            pass
    assert np.isfinite(state.words).all()
    assert np.isfinite(state.contexts).all()


def test_start_vectors_are_unit_and_differ():
    """No start vector is zero, U and V start apart, and a larger vocabulary keeps the first vectors."""
    words, contexts = (training.start_vectors(50, 7, 3, part) for part in (0, 1))
    np.testing.assert_allclose(np.linalg.norm(words, axis=1), 1, rtol=1e-5)
    assert (words != contexts).any()
    np.testing.assert_array_equal(training.start_vectors(80, 7, 3, 0)[:50], words)

"""Epochs that lower the objective, the same for everyone, and never end in NaN."""

import itertools

import numpy as np
import pytest
from gensim_wordrank import Objective
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.text.corpus import read
from gensim_wordrank.training.backend import EpochResult, LocalBackend
from gensim_wordrank.training.schedule import Schedule, learning_rate_scale
from gensim_wordrank.training.state import State, initial_accumulator, initial_bias, initial_vectors
from gensim_wordrank.training.trainer import Listener, Trainer
from gensim_wordrank.types import Solver

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))


@pytest.fixture(scope="module")
def toy(two_worlds):
    """Co-occurrences of the toy corpus."""
    ids = {word: i for i, word in enumerate(sorted({word for sentence in two_worlds for word in sentence}))}
    return Cooccurrence.from_text(read(two_worlds, vocabulary=ids), window=5)


def new_state(counts, size=10):
    """Where training on the toy corpus starts."""
    n = counts.shape[0]
    bias, accumulator = initial_bias(counts.summarize().context_sums), initial_accumulator(n)
    return State(initial_vectors(n, size, 1, 0), initial_vectors(n, size, 1, 1), bias, accumulator, accumulator)


def train(state, counts, objective, solver, epochs, step=None, seed=1, workers=1):
    """Train with a constant step; return the last state and the losses."""
    step = step or {"sampled": 0.1, "triplet": 0.01}[solver]
    trainer = Trainer(objective, Schedule(epochs, step, step), LocalBackend(workers), seed, Solver(solver))
    results = list(trainer.run(state, counts, counts.summarize()))
    return results[-1].state(), [result.loss for result in results]


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_objective_and_bound_fall_over_epochs(toy, rank_loss, pair_loss, solver):
    """Ten epochs lower J, and the bound at the xi they began with, for every pair of losses and both solvers."""
    objective = Objective(rank_loss, pair_loss, rank_scale=10.0, rank_offset=1.0, l2=0)
    before = new_state(toy)
    after, losses = train(before, toy, objective, solver, 10)

    def parameters(state):
        return state.with_bias() if solver == "sampled" else (state.words, state.contexts)

    xi = objective.exact_xi(*parameters(before), toy)
    value = objective.value(*parameters(after), toy)
    assert value < objective.value(*parameters(before), toy)
    assert objective.bound(*parameters(after), toy, xi) < objective.bound(*parameters(before), toy, xi)
    assert losses[-1] < losses[0]
    assert losses[-1] == pytest.approx(value, rel=0.2)


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_workers_do_not_change_a_byte(solver, lee):
    """1, 2, 3 and 8 threads give the same vectors."""
    words = sorted({word for sentence in lee for word in sentence})[::3]
    ids = {word: i for i, word in enumerate(words)}
    counts = Cooccurrence.from_text(read(lee, vocabulary=ids), window=5)
    results = set()
    for workers in (1, 2, 3, 8):
        state, losses = train(new_state(counts), counts, Objective(), solver, 2, workers=workers)
        results.add((state.words.tobytes(), state.contexts.tobytes(), state.bias.tobytes(), tuple(losses)))
    assert len(results) == 1


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_seed_changes_the_vectors(toy, solver):
    """Another seed draws otherwise."""
    first, second = (train(new_state(toy), toy, Objective(), solver, 1, seed=seed)[0] for seed in (1, 2))
    assert (first.words != second.words).any()


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_two_runs_of_one_epoch_are_one_run_of_two(toy, solver):
    """The random numbers depend on the epochs done, so training can be cut anywhere."""
    whole, _ = train(new_state(toy), toy, Objective(), solver, 2)
    cut = new_state(toy)
    for _ in range(2):
        cut, _ = train(cut, toy, Objective(), solver, 1)
    assert whole.words.tobytes() == cut.words.tobytes()
    assert whole.epoch == cut.epoch == 2


class Recorder(LocalBackend):
    """A backend that records the schedule instead of training."""

    def run_epochs(self, config, counts, state, points):
        """Yield a result per point."""
        for epoch, point in enumerate(points, 1):
            self.seen.append(point)
            yield EpochResult(epoch, 1.0, True, True, lambda: state)


def test_epochs_follow_the_schedule(toy):
    """A run that is resumed runs the remaining epochs, with rates that suit the number of pairs."""
    backend = Recorder()
    object.__setattr__(backend, "seen", [])
    schedule = Schedule(10, 0.4, 0.1)
    trainer = Trainer(Objective(), schedule, backend, seed=1)
    assert len(list(trainer.run(new_state(toy), toy, toy.summarize(), done=6))) == 4
    scale = learning_rate_scale(Solver.SAMPLED, toy.nnz)
    assert backend.seen == [schedule.at(epoch, scale) for epoch in range(6, 10)]


def test_listeners_hear_of_every_epoch_and_can_stop(toy):
    """They are told in order, with the parameters, and the run ends after the epoch in which one returns True."""
    heard = []

    class Stop(Listener):
        def on_epoch_begin(self):
            heard.append("begin")

        def on_epoch_end(self, result, state):
            heard.append((result.epoch, state is result.state()))
            return result.epoch == 2

    trainer = Trainer(Objective(), Schedule(5, 0.1, 0.1), LocalBackend(), seed=1)
    assert len(list(trainer.run(new_state(toy), toy, toy.summarize(), [Stop(), Listener()]))) == 2
    assert heard == ["begin", (1, True), "begin", (2, True)]


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_a_diverging_epoch_is_said_and_the_state_before_it_kept(toy, solver):
    """With an absurd learning rate the run stops by name of the epoch, and the last good vectors are there."""
    state = new_state(toy)
    good = [state.words.copy(), state.contexts.copy(), state.bias.copy()]
    with pytest.raises(FloatingPointError, match=r"diverged in epoch 1 of 50; .*Lower 'alpha' \(now 1e\+30\)"):
        train(state, toy, Objective(), solver, 50, step=1e30, workers=2)
    for array, before in zip((state.words, state.contexts, state.bias), good, strict=True):
        np.testing.assert_array_equal(array, before)


def test_start_vectors_differ_and_grow():
    """No start vector is zero, U and V start apart, and a larger vocabulary keeps the first vectors."""
    words, contexts = (initial_vectors(50, 7, 3, part) for part in (0, 1))
    assert (np.linalg.norm(words, axis=1) > 0).all()
    assert (words != contexts).any()
    np.testing.assert_array_equal(initial_vectors(80, 7, 3, 0)[:50], words)


def test_start_bias_is_the_log_frequency(toy):
    """The bias follows the mass of each context and has mean 0."""
    bias = initial_bias(toy.summarize().context_sums)
    mass = np.asarray(toy.matrix.sum(axis=0)).ravel()
    np.testing.assert_allclose(bias, np.log(mass + 1) - np.log(mass + 1).mean(), atol=1e-5)

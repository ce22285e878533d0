"""Training lowers the objective, is deterministic and stops if it diverges."""

import itertools
import logging
import re

import numpy as np
import pytest
from gensim_wordrank import Objective
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.text.corpus import read
from gensim_wordrank.training.backend import EpochResult, LocalBackend
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import Schedule, learning_rate_scale
from gensim_wordrank.training.state import (
    State,
    are_given,
    initial_accumulator,
    initial_bias,
    initial_vectors,
    initial_words,
)
from gensim_wordrank.training.trainer import Listener, Progress, Trainer

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))


@pytest.fixture(scope="module")
def toy(two_worlds):
    """Co-occurrence counts of the toy corpus."""
    ids = {word: i for i, word in enumerate(sorted({word for sentence in two_worlds for word in sentence}))}
    return Cooccurrence.from_text(read(two_worlds, vocabulary=ids), window=5)


def new_state(counts, size=10):
    """Return the initial state for the given counts."""
    n = counts.shape[0]
    bias, accumulator = initial_bias(counts.summarize().context_sums), initial_accumulator(counts.counts)
    return State(initial_vectors(n, size, 1, 0), initial_vectors(n, size, 1, 1), bias, accumulator, accumulator)


def train(state, counts, objective, solver, epochs, step=None, seed=1, workers=1):
    """Train at a constant learning rate; return the last state and the losses."""
    step = step or {"sampled": 0.005, "stored": 0.005, "triplet": 0.025}[solver]
    trainer = Trainer(objective, Schedule(epochs, step, step), LocalBackend(workers), seed, Method(solver, xi_period=2))
    results = list(trainer.run(state, counts, counts.summarize()))
    return results[-1].state(), [result.loss for result in results]


@pytest.mark.parametrize("solver", ["sampled", "stored", "triplet"])
@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_training_lowers_objective_and_bound(toy, rank_loss, pair_loss, solver):
    """Ten epochs lower J, and the bound at the initial xi, for all losses and solvers."""
    objective = Objective(rank_loss, pair_loss, rank_scale=10.0, rank_offset=1.0, l2=0)
    before = new_state(toy)
    after, losses = train(before, toy, objective, solver, 10)

    def parameters(state):
        return state.with_bias() if solver != "triplet" else (state.words, state.contexts)

    xi = objective.exact_xi(*parameters(before), toy)
    value = objective.value(*parameters(after), toy)
    assert value < objective.value(*parameters(before), toy)
    assert objective.bound(*parameters(after), toy, xi) < objective.bound(*parameters(before), toy, xi)
    assert losses[-1] < losses[0]
    assert losses[-1] == pytest.approx(value, rel=0.2)


@pytest.mark.parametrize("solver", ["sampled", "stored", "triplet"])
def test_workers_do_not_change_the_vectors(solver, lee):
    """1, 2, 3 and 8 threads give the same bytes."""
    words = sorted({word for sentence in lee for word in sentence})[::3]
    ids = {word: i for i, word in enumerate(words)}
    counts = Cooccurrence.from_text(read(lee, vocabulary=ids), window=5)
    results = set()
    for workers in (1, 2, 3, 8):
        state, losses = train(new_state(counts), counts, Objective(), solver, 2, workers=workers)
        results.add((state.words.tobytes(), state.contexts.tobytes(), state.bias.tobytes(), tuple(losses)))
    assert len(results) == 1


@pytest.mark.parametrize("solver", ["sampled", "stored", "triplet"])
def test_seed_changes_the_vectors(toy, solver):
    """Different seeds give different vectors."""
    first, second = (train(new_state(toy), toy, Objective(), solver, 1, seed=seed)[0] for seed in (1, 2))
    assert (first.words != second.words).any()


@pytest.mark.parametrize("solver", ["sampled", "stored", "triplet"])
def test_two_runs_equal_one_longer_run(toy, solver):
    """Random numbers depend on the number of past epochs, so two runs of one epoch equal one of two."""
    whole, _ = train(new_state(toy), toy, Objective(), solver, 2)
    cut = new_state(toy)
    for _ in range(2):
        cut, _ = train(cut, toy, Objective(), solver, 1)
    assert whole.words.tobytes() == cut.words.tobytes()
    assert whole.epoch == cut.epoch == 2


class Recorder(LocalBackend):
    """A backend that records the schedule instead of training."""

    def run_epochs(self, config, counts, state, points, report):
        """Yield a result per point."""
        for epoch, point in enumerate(points, 1):
            self.seen.append(point)
            yield EpochResult(epoch, 1.0, 1.0, True, True, lambda: state)


def test_epochs_follow_the_schedule(toy):
    """A resumed run trains the remaining epochs, with rates scaled by the number of pairs."""
    backend = Recorder()
    object.__setattr__(backend, "seen", [])
    schedule = Schedule(10, 0.4, 0.1)
    trainer = Trainer(Objective(), schedule, backend, seed=1)
    assert len(list(trainer.run(new_state(toy), toy, toy.summarize(), done=6))) == 4
    scale = learning_rate_scale(Method(), PairLoss.LOGISTIC, toy.nnz)
    assert backend.seen == [schedule.at(epoch, scale) for epoch in range(6, 10)]


def test_listeners_are_called_and_can_stop(toy):
    """Listeners are called in order, with the state; training stops after the epoch in which one returns True."""
    calls = []

    class Stop(Listener):
        def on_epoch_begin(self):
            calls.append("begin")

        def on_epoch_end(self, result, state):
            calls.append((result.epoch, state is result.state()))
            return result.epoch == 2

    trainer = Trainer(Objective(), Schedule(5, 0.1, 0.1), LocalBackend(), seed=1)
    assert len(list(trainer.run(new_state(toy), toy, toy.summarize(), [Stop(), Listener()]))) == 2
    assert calls == ["begin", (1, True), "begin", (2, True)]


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_divergence_keeps_the_last_state(toy, solver):
    """If training diverges, the error names the epoch, and the state before it is unchanged."""
    state = new_state(toy)
    good = [state.words.copy(), state.contexts.copy(), state.bias.copy()]
    with pytest.raises(FloatingPointError, match=r"diverged in epoch 1 of 50; .*Lower 'alpha' \(now 1e\+30\)"):
        train(state, toy, Objective(), solver, 50, step=1e30, workers=2)
    for array, before in zip((state.words, state.contexts, state.bias), good, strict=True):
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_divergence_that_stays_finite_is_an_error(lee_pairs, rank_loss, pair_loss):
    """Vectors that explode raise the error of divergence for all losses, though no number overflows."""
    objective = Objective(rank_loss, pair_loss, rank_scale=100, rank_offset=99, x_max=100, discount=0, l2=0)
    rate = 2.5 * {"identity": 0.15, "log": 0.3, "dcg": 2.0, "log_t": 0.5}[rank_loss]
    state = new_state(lee_pairs)
    with pytest.raises(FloatingPointError, match="the loss is .*, far above that of vectors of zeros"):
        train(state, lee_pairs, objective, "triplet", 8, step=rate, workers=2)
    assert state.is_finite()


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
@pytest.mark.parametrize("solver", ["sampled", "stored", "triplet"])
def test_training_that_learns_is_no_divergence(lee_pairs, caplog, rank_loss, pair_loss, solver):
    """Usual rates and the highest one of AdaGrad end without a warning, and long initial vectors without an error."""
    objective = Objective(rank_loss, pair_loss, rank_scale=100, rank_offset=99, x_max=100, discount=0, l2=0)
    step = {"sampled": 0.05, "stored": 0.025, "triplet": 0.025}[solver]
    train(new_state(lee_pairs), lee_pairs, objective, solver, 3, step)
    assert not caplog.records
    if solver == "sampled":
        state = new_state(lee_pairs)
        state.words *= 100
        state.contexts *= 20
        train(state, lee_pairs, objective, solver, 3, step=0.025)


def test_loss_above_that_of_zeros_is_a_warning(lee_pairs, caplog):
    """A run that neither diverges nor learns ends with a warning that names the rate."""
    objective = Objective("identity", "logistic", rank_scale=100, rank_offset=99, x_max=100, discount=0, l2=0)
    train(new_state(lee_pairs), lee_pairs, objective, "triplet", 4, step=0.175)
    assert "above that of vectors of zeros: nothing was learnt. Lower 'alpha' (now 0.175)" in caplog.text


def test_initial_vectors():
    """Initial vectors are nonzero, those of U and V differ, and a larger vocabulary keeps the first ones."""
    words, contexts = (initial_vectors(50, 7, 3, part) for part in (0, 1))
    assert (np.linalg.norm(words, axis=1) > 0).all()
    assert (words != contexts).any()
    np.testing.assert_array_equal(initial_vectors(80, 7, 3, 0)[:50], words)


def test_rare_words_start_near_a_common_vector():
    """The rarer a word, the nearer it starts to a vector that all words share, and the shorter its steps."""
    counts = np.array([100000, 1000, 30, 5, 3, 2, 1])
    words, common = initial_words(counts, 50, 3), initial_words([1] * 5, 50, 3)[1]
    cosines = words @ common / np.linalg.norm(words, axis=1) / np.linalg.norm(common)
    assert (np.diff(cosines)[2:] > 0).all()
    assert cosines[-1] > 0.999
    np.testing.assert_allclose(words[:2], initial_vectors(7, 50, 3, 0)[:2], atol=1e-6)
    np.testing.assert_array_equal(initial_words(np.full(7, np.inf), 50, 3), initial_vectors(7, 50, 3, 0))
    accumulators = initial_accumulator(counts)
    assert (np.diff(accumulators) >= 0).all()
    assert accumulators[0] == np.float32(SETTINGS.initial_accumulator)
    assert accumulators[3] < 1 < 100 < accumulators[-1]


def test_given_vectors_are_told_from_initial_ones():
    """Rows of U and V that a user replaced are known, whatever counts the initial vectors were for."""
    words, contexts = initial_words([500, 40, 5, 3, 2, 1], 9, 4), initial_vectors(6, 9, 4, 1)
    assert not are_given(words, 4, 0).any()
    assert not are_given(contexts, 4, 1).any()
    words[[0, 5]] *= 1.1
    contexts[2, 3] += 0.01
    assert np.flatnonzero(are_given(words, 4, 0)).tolist() == [0, 5]
    assert np.flatnonzero(are_given(contexts, 4, 1)).tolist() == [2]


def test_rare_words_take_shorter_steps_in_more_epochs():
    """Ten times the epochs have steps of a tenth, by the square root of the accumulator."""
    few, many, more = (initial_accumulator([1], epochs)[0] for epochs in (1, 10, 100))
    assert few == many
    assert more / many == pytest.approx(100, rel=0.01)


def test_initial_bias_is_the_log_frequency(toy):
    """The initial bias is the log-frequency of each context, minus the mean."""
    bias = initial_bias(toy.summarize().context_sums)
    mass = np.asarray(toy.matrix.sum(axis=0)).ravel()
    np.testing.assert_allclose(bias, np.log(mass + 1) - np.log(mass + 1).mean(), atol=1e-5)


class Bar:
    """A progress bar that records how far it came."""

    def __init__(self):
        self.n, self.steps = 0, []

    def update(self, pairs):
        """Advance."""
        self.n += pairs
        self.steps.append(pairs)

    def set_description(self, text, refresh):
        """Ignore the text."""

    def set_postfix(self, loss):
        """Ignore the loss."""


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_within_an_epoch(workers, monkeypatch, caplog):
    """The bar advances with every cell and ends at all pairs; long epochs log their share, speed and time left."""
    monkeypatch.setattr("gensim_wordrank.training.trainer.LOG_SECONDS", 0.0)
    words = np.random.default_rng(1).integers(0, 700, (2000, 30)).astype(str).tolist()
    counts, bar = Cooccurrence.from_corpus(words), Bar()
    schedule = Schedule(2, 0.025, 0.01)
    assert (schedule.passes, TrainingConfig.of(counts.summarize(), Objective(), 10, 1).partition.n_blocks) == (3, 2)
    progress = Progress(2, schedule.passes, 0, counts.nnz, bar)
    trainer = Trainer(Objective(), schedule, LocalBackend(workers), 1)
    with caplog.at_level(logging.INFO):
        assert len(list(trainer.run(new_state(counts), counts, counts.summarize(), [progress]))) == 2
    assert bar.n == 6 * counts.nnz
    assert min(bar.steps) >= 0
    assert len([step for step in bar.steps if step]) == 6 * 4  # passes, and cells of a pass
    assert "EPOCH 1 of 2: 8% done, " in caplog.text
    assert re.search(r"EPOCH 2 of 2: 50% done, .* million pairs per second, \d+ s left in all", caplog.text)

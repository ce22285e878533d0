"""Run training epoch by epoch on a cluster, to disturb it in between."""

import os
import shutil

import pytest
from gensim_wordrank import Objective
from gensim_wordrank.cluster.backend import DaskBackend
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.training.backend import LocalBackend
from gensim_wordrank.training.sampled import TrainingConfig, no_report
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State, initial_accumulator, initial_bias, initial_vectors

EPOCHS = 7  # more than the driver runs before it fetches the state
LEARNING_RATE = 0.15
SIZE = 20
MANY_BLOCKS = Settings(min_block=16, usual_blocks=64)  # 64 for the Lee corpus


def find_program(name):
    """Return the path of a system program; skip the test if it is missing."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin")
    return path or pytest.skip(f"{name} is not installed; 'make test' installs it where it can use apt-get")


def fingerprint(model):
    """Return the bytes of everything that training changes, the loss and the number of epochs."""
    arrays = (model.wv.vectors, model.context_vectors, model.context_bias, model._accumulators)
    return *(array.tobytes() for array in arrays), model.get_latest_training_loss(), model.epochs_done


def initial_state(counts):
    """Return the initial state."""
    n = counts.shape[0]
    bias, accumulator = initial_bias(counts.summarize().context_sums), initial_accumulator(counts.counts)
    return State(initial_vectors(n, SIZE, 1, 0), initial_vectors(n, SIZE, 1, 1), bias, accumulator, accumulator)


def bytes_of(state):
    """Return the bytes of all arrays of a state."""
    return [
        array.tobytes()
        for array in (state.words, state.contexts, state.bias, state.word_accumulator, state.context_accumulator)
    ]


def run_epochs(
    backend, counts, before_epoch=lambda epoch: None, settings=SETTINGS, epochs=EPOCHS, report=no_report
):  # fmt: skip
    """Train with a constant learning rate; return the bytes of the last state, and the losses."""
    config, losses = TrainingConfig.of(counts.summarize(), Objective(), SIZE, seed=1, settings=settings), []
    results = backend.run_epochs(config, counts, initial_state(counts), [SchedulePoint(LEARNING_RATE)] * epochs, report)
    for epoch in range(epochs):
        before_epoch(epoch)
        result = next(results)
        losses.append(result.loss)
    return bytes_of(result.state()), losses


def train_disturbed(session, counts, disturb, settings=SETTINGS):
    """Train on a session; call `disturb` with the address of a worker before the fourth epoch."""

    def before_epoch(epoch):
        if epoch == 3:
            disturb(session.group.workers[1])

    result = run_epochs(DaskBackend(session, LocalBackend()), counts, before_epoch, settings)
    session.close()
    return result


def train_undisturbed(counts, settings=SETTINGS, epochs=EPOCHS):
    """Train on this machine only."""
    return run_epochs(LocalBackend(), counts, settings=settings, epochs=epochs)

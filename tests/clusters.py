"""Training by hand on a cluster, to disturb it."""

import os
import shutil

import numpy as np
import pytest
from gensim_wordrank import Objective
from gensim_wordrank.cluster.driver import Driver
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import INITIAL_ACCUMULATOR, State, initial_bias, initial_vectors
from gensim_wordrank.training.trainer import Solver, learning_rate_scale, run_epochs

EPOCHS = 7  # more than the driver runs before it keeps a state
STEP = 0.15
SIZE = 20


def find_program(name):
    """Return the path of a system program; skip the test if it is missing."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin")
    return path or pytest.skip(f"{name} is not installed; 'make test' installs it where it can use apt-get")


def fingerprint(model):
    """All that training changes, and the loss."""
    arrays = (model.wv.vectors, model.context_vectors, model.context_bias, model._past)
    return *(array.tobytes() for array in arrays), model.get_latest_training_loss(), model.epochs_done


def start(counts):
    """Where training starts."""
    n = counts.shape[0]
    past = np.full(n, INITIAL_ACCUMULATOR, np.float32)
    return State(initial_vectors(n, SIZE, 1, 0), initial_vectors(n, SIZE, 1, 1), initial_bias(counts), past, past)


def bytes_of(state):
    """All bytes of a state."""
    return [
        array.tobytes()
        for array in (state.words, state.contexts, state.bias, state.word_accumulator, state.context_accumulator)
    ]


def disturbed(team, counts, disturb):
    """Train by hand, with a disturbance before the fourth epoch; return the last state and the losses."""
    recipe = TrainingConfig.of(Partition.of(counts, 1), Objective(), counts, SIZE)
    driver, losses = Driver(team, recipe, counts, start(counts)), []
    for epoch in range(EPOCHS):
        if epoch == 3:
            disturb(team.crew.workers[1])
        state, loss = driver.epoch(SchedulePoint(STEP))
        losses.append(loss)
    result = bytes_of(state)
    team.close()
    return result, losses


def undisturbed(counts):
    """What one machine makes of the same."""
    rate = STEP / learning_rate_scale(Solver.SAMPLED, counts.nnz)
    runs = list(run_epochs(start(counts), counts, Objective(), Solver.SAMPLED, EPOCHS, rate, rate, 1, 1))
    return bytes_of(runs[-1][0]), [loss for _, loss in runs]

"""Training by hand on a cluster, to disturb it."""

import os
import shutil
import subprocess

from gensim_wordrank import Objective
from gensim_wordrank.cluster.backend import DaskBackend
from gensim_wordrank.training.backend import LocalBackend
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State, initial_accumulator, initial_bias, initial_vectors

EPOCHS = 7  # more than the driver runs before it fetches the state
STEP = 0.15
SIZE = 20


def found(program, package):
    """Return the path of a program of the system, installed if need be and possible."""
    places = "/usr/sbin:/usr/local/sbin:/sbin"
    if not shutil.which(program, path=places) and os.geteuid() == 0 and shutil.which("apt-get"):
        # in runlevel 1 a package starts no service
        environment = os.environ | {"RUNLEVEL": "1", "DEBIAN_FRONTEND": "noninteractive"}
        command = ["apt-get", "install", "--yes", "--no-install-recommends", package]
        subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    return shutil.which(program, path=places)


def fingerprint(model):
    """All that training changes, and the loss."""
    arrays = (model.wv.vectors, model.context_vectors, model.context_bias, model._accumulators)
    return *(array.tobytes() for array in arrays), model.get_latest_training_loss(), model.epochs_done


def start(counts):
    """Where training starts."""
    n = counts.shape[0]
    bias, accumulator = initial_bias(counts.summarize().context_sums), initial_accumulator(n)
    return State(initial_vectors(n, SIZE, 1, 0), initial_vectors(n, SIZE, 1, 1), bias, accumulator, accumulator)


def bytes_of(state):
    """All bytes of a state."""
    return [
        array.tobytes()
        for array in (state.words, state.contexts, state.bias, state.word_accumulator, state.context_accumulator)
    ]


def run_by_hand(backend, counts, before_epoch=lambda epoch: None):
    """Train with a constant rate; return the bytes of the last state, and the losses."""
    config, losses = TrainingConfig.of(counts.summarize(), Objective(), SIZE, seed=1), []
    results = backend.run_epochs(config, counts, start(counts), [SchedulePoint(STEP)] * EPOCHS)
    for epoch in range(EPOCHS):
        before_epoch(epoch)
        result = next(results)
        losses.append(result.loss)
    return bytes_of(result.state()), losses


def disturbed(session, counts, disturb):
    """Train on a session, with a disturbance before the fourth epoch."""

    def before_epoch(epoch):
        if epoch == 3:
            disturb(session.group.workers[1])

    result = run_by_hand(DaskBackend(session, LocalBackend()), counts, before_epoch)
    session.close()
    return result


def undisturbed(counts):
    """Train on one machine."""
    return run_by_hand(LocalBackend(), counts)

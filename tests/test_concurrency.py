"""Errors during training, several threads, and child processes."""

import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence, WordRank, _sampled

from problems import SETTINGS, train_vectors


class Failing:
    """Sentences whose iteration ends with an error."""

    def __iter__(self):
        yield from [["a", "b"]] * 5000
        raise ZeroDivisionError("mine")


@pytest.mark.parametrize("read", [WordRank, Cooccurrence.from_corpus])
def test_error_in_the_corpus(read):
    """The error is raised unchanged to the caller."""
    with pytest.raises(ZeroDivisionError, match="mine"):
        read(Failing(), workers=2)


@pytest.mark.parametrize("moment", ["on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end"])
def test_error_in_a_callback(two_worlds, moment):
    """Training ends with the error, and the model keeps its vectors."""

    class Callback:
        def __getattr__(self, name):
            def call(model):
                if name == moment and (model.epochs_done == 2 or "train" in name):
                    raise ZeroDivisionError("mine")

            return call

    model = WordRank(**SETTINGS)
    model.build_vocab(two_worlds)
    with pytest.raises(ZeroDivisionError, match="mine"):
        model.train(two_worlds, total_examples=len(two_worlds), epochs=4, callbacks=[Callback()])
    assert model.epochs_done == {"on_train_begin": 0, "on_train_end": 4}.get(moment, 2)
    assert np.isfinite(model.wv.vectors).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_error_in_a_worker(lee, monkeypatch, workers):
    """All threads end, and the model has the state of the last complete epoch."""
    calls, run_cell = [], _sampled.run_cell

    def fail(*arguments):
        calls.append(1)
        if len(calls) == 40:  # in the third epoch of sixteen cells
            raise ZeroDivisionError("mine")
        return run_cell(*arguments)

    monkeypatch.setattr(_sampled, "run_cell", fail)
    threads = threading.active_count()
    model = WordRank(vector_size=16, workers=workers)
    model.build_vocab(lee)
    with pytest.raises(ZeroDivisionError, match="mine"):
        model.train(lee, total_examples=len(lee), epochs=9)
    assert model.epochs_done == 2
    deadline = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= threads


def test_training_in_several_threads(two_worlds):
    """Models that are trained at the same time have the same vectors as one after another."""
    alone = [train_vectors(two_worlds, seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: train_vectors(two_worlds, seed), range(4)))
    assert together == alone


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # intended here
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_training_in_child_processes(two_worlds, start):
    """Child processes of a parent that has trained, and is training, give the same vectors."""
    expected = train_vectors(two_worlds)
    with multiprocessing.get_context(start).Pool(2) as pool:
        there = pool.map_async(train_vectors, [two_worlds] * 2)
        assert train_vectors(two_worlds) == expected
        assert there.get(120) == [expected] * 2

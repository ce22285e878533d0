"""Errors in the middle of work, several threads, and child processes."""

import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence, WordRank, _sampled

from problems import SETTINGS, train_vectors


class Failing:
    """Sentences that end in an error of the user's own."""

    def __iter__(self):
        yield from [["a", "b"]] * 5000
        raise ZeroDivisionError("mine")


@pytest.mark.parametrize("read", [WordRank, Cooccurrence.from_corpus])
def test_an_error_of_the_text_reaches_the_caller(read):
    """It is the user's error, as it was raised."""
    with pytest.raises(ZeroDivisionError, match="mine"):
        read(Failing(), workers=2)


@pytest.mark.parametrize("moment", ["on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end"])
def test_an_error_of_a_callback_reaches_the_caller(two_worlds, moment):
    """Training ends there, and the model keeps the vectors that it had."""

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
def test_an_error_in_a_worker_reaches_the_caller(lee, monkeypatch, workers):
    """The others end soon, no thread is left, and the state of the last whole epoch stays."""
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


def test_training_in_several_threads_at_once(two_worlds):
    """Every thread gets the vectors that it would get alone."""
    alone = [train_vectors(two_worlds, seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: train_vectors(two_worlds, seed), range(4)))
    assert together == alone


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # which is the point here
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_child_processes_train_too(two_worlds, start):
    """After the parent has trained, and while it trains; vectors are the same everywhere."""
    expected = train_vectors(two_worlds)
    with multiprocessing.get_context(start).Pool(2) as pool:
        there = pool.map_async(train_vectors, [two_worlds] * 2)
        assert train_vectors(two_worlds) == expected
        assert there.get(120) == [expected] * 2

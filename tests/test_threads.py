"""Parallel maps and rounds on threads."""

import threading
import time

import pytest
from gensim_wordrank import WordRank
from gensim_wordrank._utils import system, threads
from gensim_wordrank._utils.threads import parallel_map, parallel_rounds

WORKERS = [1, 2, 5]


@pytest.mark.parametrize("workers", WORKERS)
def test_results_are_in_the_order_of_the_arguments(workers):
    """The order does not depend on which call ends first."""

    def sleep_and_return(i):
        time.sleep(0.01 * (5 - i))
        return i

    assert list(parallel_map(sleep_and_return, [(i,) for i in range(6)], workers)) == list(range(6))


@pytest.mark.parametrize("workers", WORKERS)
def test_call_waits_for_two_calls_of_the_previous_round(workers):
    """Call i begins after calls i and i + 1 of the previous round have ended."""
    ended = set()

    def step(round_, i):
        assert round_ == 0 or {(round_ - 1, i), (round_ - 1, (i + 1) % 4)} <= ended
        time.sleep(0.002 * ((7 * round_ + 3 * i) % 5))
        ended.add((round_, i))
        return 10 * round_ + i

    assert parallel_rounds(step, 6, 4, workers) == [[10 * round_ + i for i in range(4)] for round_ in range(6)]


@pytest.mark.parametrize("workers", WORKERS)
def test_barrier_between_rounds(workers):
    """From round barrier_from on, a round begins after all calls of the previous one have ended."""
    ended = set()

    def step(round_, i):
        assert round_ < 2 or {(round_ - 1, j) for j in range(4)} <= ended
        time.sleep(0.002 * ((7 * round_ + 3 * i) % 5))
        ended.add((round_, i))

    parallel_rounds(step, 4, 4, workers, barrier_from=2)
    assert len(ended) == 16


def test_rounds_overlap():
    """A call of the next round can begin while another call of the current round is still running."""
    later = threading.Event()

    def step(round_, i):
        if (round_, i) == (1, 0):
            later.set()
        return (round_, i) != (0, 3) or later.wait(30)

    assert parallel_rounds(step, 2, 4, workers=2) == [[True] * 4] * 2


@pytest.mark.parametrize("workers", WORKERS)
def test_error_ends_all_threads(workers):
    """The error is raised to the caller, and all threads end without many further calls."""
    begun = []

    def step(round_, i):
        begun.append(i)
        if len(begun) == 7:
            raise ZeroDivisionError("mine")
        time.sleep(0.01)

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError, match="mine"):
        parallel_rounds(step, 100, 5, workers)
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
    assert len(begun) < 100


def test_no_rounds_or_calls():
    """Rounds without calls, and zero rounds, give no results."""
    assert parallel_rounds(lambda round_, i: i, 2, 0, workers=2) == [[], []]
    assert parallel_rounds(lambda round_, i: i, 0, 3, workers=2) == []


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_threads_that_cannot_be_started(monkeypatch, caplog, two_worlds, allowed):
    """With fewer threads, or none, the results are the same, and a warning says so once."""
    expected = WordRank(two_worlds, vector_size=8, epochs=2, workers=4).wv.vectors
    start, started = threading.Thread.start, []

    def limited(thread):
        if sum(other.is_alive() for other in started) >= allowed:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    threads._warn_of_few_threads.cache_clear()
    monkeypatch.setattr(threading.Thread, "start", limited)
    assert len(list(parallel_map(time.sleep, [(0.02,)] * 9, workers=4))) == 9
    assert (WordRank(two_worlds, vector_size=8, epochs=2, workers=4).wv.vectors == expected).all()
    with pytest.raises(ZeroDivisionError):
        list(parallel_map(divmod, [(1, 1), (1, 0), (1, 1)], workers=4))
    told = [record.getMessage() for record in caplog.records if "threads: continuing" in record.getMessage()]
    assert f"the system allows {allowed} of 4 threads: continuing with {allowed or 'none'}" in told[0]
    assert len(told) == len(set(told))


def test_no_thread_without_memory(monkeypatch, caplog):
    """If a limit leaves no room for a thread, the C library would end the process: the caller works."""
    threads._warn_of_few_threads.cache_clear()
    monkeypatch.setattr(system, "process_limits", lambda: iter([10**9, threads.THREAD_BYTES - 1]))
    callers = list(parallel_map(threading.get_ident, [()] * 3, workers=2))
    assert callers == [threading.get_ident()] * 3
    assert "the system allows 0 of 2 threads: continuing with none" in caplog.text

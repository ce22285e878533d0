"""Kernels on several threads."""

import threading
import time

import pytest
from gensim_wordrank._utils.threads import parallel_map, parallel_rounds

WORKERS = [1, 2, 5]


@pytest.mark.parametrize("workers", WORKERS)
def test_results_come_in_the_order_of_the_arguments(workers):
    """Whatever call ends first, its result stands in its place."""

    def late(i):
        time.sleep(0.01 * (5 - i))
        return i

    assert list(parallel_map(late, [(i,) for i in range(6)], workers)) == list(range(6))


@pytest.mark.parametrize("workers", WORKERS)
def test_a_call_waits_for_itself_and_its_neighbour_in_the_round_before(workers):
    """However long each call takes, it sees both of the last round's calls ended, and all results are there."""
    ended = set()

    def step(round_, i):
        assert round_ == 0 or {(round_ - 1, i), (round_ - 1, (i + 1) % 4)} <= ended
        time.sleep(0.002 * ((7 * round_ + 3 * i) % 5))
        ended.add((round_, i))
        return 10 * round_ + i

    assert parallel_rounds(step, 6, 4, workers) == [[10 * round_ + i for i in range(4)] for round_ in range(6)]


@pytest.mark.parametrize("workers", WORKERS)
def test_a_call_waits_for_all_of_the_round_before_if_it_should(workers):
    """From the round named on, none begins before the last one has ended."""
    ended = set()

    def step(round_, i):
        assert round_ < 2 or {(round_ - 1, j) for j in range(4)} <= ended
        time.sleep(0.002 * ((7 * round_ + 3 * i) % 5))
        ended.add((round_, i))

    parallel_rounds(step, 4, 4, workers, barrier_from=2)
    assert len(ended) == 16


def test_a_round_begins_before_the_last_one_has_ended():
    """A call that the next round does not need yet holds nobody up: here it ends only after one of the next round."""
    later = threading.Event()

    def step(round_, i):
        if (round_, i) == (1, 0):
            later.set()
        return (round_, i) != (0, 3) or later.wait(30)

    assert parallel_rounds(step, 2, 4, workers=2) == [[True] * 4] * 2


@pytest.mark.parametrize("workers", WORKERS)
def test_an_error_ends_all_threads(workers):
    """The caller gets it as it was raised, and no other call begins soon after."""
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


def test_nothing_to_do():
    """Rounds without calls, and no rounds, give no results."""
    assert parallel_rounds(lambda round_, i: i, 2, 0, workers=2) == [[], []]
    assert parallel_rounds(lambda round_, i: i, 0, 3, workers=2) == []

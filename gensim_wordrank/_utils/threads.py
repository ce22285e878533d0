"""Run GIL-free kernels on several cores."""

from __future__ import annotations

import itertools
import logging
import numbers
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

from joblib import cpu_count

from gensim_wordrank._utils import system, validation

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

# address space that must be left for a thread: its stack, usually 8 MB, and what it allocates first
THREAD_BYTES = 16 << 20


def worker_count(workers: Any) -> int:
    """Return the number of threads that `workers` stands for: -1 and 0 stand for all cores of this process.

    Examples
    --------
    >>> from gensim_wordrank._utils.threads import worker_count
    >>> worker_count(2), worker_count(-1) >= 1
    (2, True)
    """
    if isinstance(workers, numbers.Real) and not isinstance(workers, bool) and workers in (-1, 0):
        return int(cpu_count())
    return validation.positive_integer("workers", workers, "0 and -1 stand for all cores.")


def parallel_map(
    function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], workers: int
) -> Iterator[Result]:
    """Call `function` with each tuple of `arguments` on `workers` threads; yield the results in order.

    Examples
    --------
    >>> from gensim_wordrank._utils.threads import parallel_map
    >>> list(parallel_map(pow, [(2, 3), (3, 2)], workers=2))
    [8, 9]
    """
    arguments = list(arguments)
    pending, done = deque(enumerate(arguments)), SimpleQueue[tuple[int, Any, BaseException | None]]()

    def work() -> None:
        while pending:
            with suppress(IndexError):  # another thread was faster
                number, each = pending.popleft()
                try:
                    done.put((number, function(*each), None))
                except BaseException as error:
                    done.put((number, None, error))

    # starting threads takes longer than a small task
    threads = start_threads(work, min(workers, len(arguments))) if min(workers, len(arguments)) > 1 else []
    if not threads:
        for each in arguments:
            yield function(*each)
        return
    results: dict[int, Any] = {}
    try:
        for i in range(len(arguments)):
            while i not in results:
                number, results[number], error = done.get()
                if error is not None:
                    raise error
            yield results.pop(i)
        for thread in threads:
            thread.join()
    finally:  # after an error, or Ctrl-C, threads stop after their current call
        pending.clear()


def start_threads(work: Callable[[], None], n: int) -> list[threading.Thread]:
    """Start `n` threads, or as many as the system allows."""
    threads: list[threading.Thread] = []
    for _ in range(n):
        thread = threading.Thread(target=work, name="wordrank", daemon=True)
        try:
            if min(system.process_limits(), default=THREAD_BYTES) < THREAD_BYTES:
                raise MemoryError("the C library would end the process if a thread has no memory for its variables")
            thread.start()
        except (RuntimeError, MemoryError):  # limits of memory (ulimit -v) or of processes (ulimit -u)
            _warn_of_few_threads(len(threads), n)
            break
        threads.append(thread)
    return threads


@cache  # once
def _warn_of_few_threads(started: int, wanted: int) -> None:
    logger.warning(
        "the system allows %i of %i threads: continuing with %s, to the same results. Raise the limits of memory or "
        "processes, or lower 'workers'",
        started,
        wanted,
        started or "none",
    )


def parallel_rounds(
    function: Callable[[int, int], Result], n_rounds: int, n: int, workers: int, barrier_from: int | None = None
) -> list[list[Result]]:
    """Call ``function(round, i)`` for all rounds and all `i` below `n` on `workers` threads; return results by round.

    A call starts when the calls of the previous round for `i` and `i` + 1 (modulo `n`) have finished. From the round
    `barrier_from` on, it waits for all calls of the previous round. So threads rarely wait at the end of a round.

    Examples
    --------
    >>> from gensim_wordrank._utils.threads import parallel_rounds
    >>> sums = [1, 0, 0, 0]
    >>> def step(round, i):
    ...     sums[i] += 1
    ...     return sums[i]
    >>> parallel_rounds(step, n_rounds=2, n=4, workers=2)
    [[2, 1, 1, 1], [3, 2, 2, 2]]
    """
    calls, changed = itertools.product(range(n_rounds), range(n)), threading.Condition()
    results: list[list[Any]] = [[None] * n for _ in range(n_rounds)]
    rounds_done, stopped = [0] * n, False

    def work() -> None:
        while True:
            with changed:  # take a call; those that it waits for were taken before, so there is no deadlock
                round_, i = next(calls, (n_rounds, 0))
                needed = (i, (i + 1) % n) if barrier_from is None or round_ < barrier_from else range(n)
                while round_ < n_rounds and not stopped and min(map(rounds_done.__getitem__, needed)) < round_:
                    changed.wait()
            if stopped or round_ == n_rounds:
                return
            results[round_][i] = function(round_, i)
            with changed:
                rounds_done[i] += 1
                changed.notify_all()

    try:
        for _ in parallel_map(work, [()] * min(workers, n), workers):
            pass
    finally:  # after an error in one thread, or Ctrl-C, the others stop after their current call
        with changed:
            stopped = True
            changed.notify_all()
    return results

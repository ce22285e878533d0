"""Running GIL-free kernels on several cores."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from joblib import Parallel, delayed

Result = TypeVar("Result")


def run(function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[Result]:
    """Call `function` with each tuple of `arguments` on `workers` threads; yield the results in order.

    Examples
    --------
    >>> from gensim_wordrank._utils.threads import run
    >>> list(run(pow, [(2, 3), (3, 2)], workers=2))
    [8, 9]
    """
    arguments = list(arguments)
    if min(workers, len(arguments)) < 2:  # starting threads takes longer than a small task
        yield from (function(*each) for each in arguments)
    else:
        parallel = Parallel(n_jobs=workers, backend="threading", return_as="generator")
        try:
            yield from parallel(delayed(function)(*each) for each in arguments)
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
            raise MemoryError(f"There is no memory for {workers} threads. Give more, or lower 'workers'.") from error


def run_rounds(
    function: Callable[[int, int], Result], n_rounds: int, n: int, workers: int, together: int | None = None
) -> list[list[Result]]:
    """Call ``function(round, i)`` for all rounds and all `i` below `n` on `workers` threads; return results by round.

    A call begins when those for `i` and for its neighbour, `i` + 1 or after the last 0, have ended in the round before;
    from the round `together` on, when all of the round before have. So threads seldom wait for the end of a round, and
    joblib, which looks for results every 10 ms, is asked once.

    Examples
    --------
    >>> from gensim_wordrank._utils.threads import run_rounds
    >>> sums = [1, 0, 0, 0]
    >>> def step(round, i):
    ...     sums[i] += 1
    ...     return sums[i]
    >>> run_rounds(step, n_rounds=2, n=4, workers=2)
    [[2, 1, 1, 1], [3, 2, 2, 2]]
    """
    calls, turn = itertools.product(range(n_rounds), range(n)), threading.Condition()
    results: dict[tuple[int, int], Result] = {}
    rounds_done, stopped = [0] * n, False

    def work() -> None:
        for round_, i in iter(next_call, None):
            results[round_, i] = function(round_, i)
            with turn:
                rounds_done[i] += 1
                turn.notify_all()

    def next_call() -> tuple[int, int] | None:
        """Take the next call and wait until it may begin; those it waits for are in work, as they were taken before."""
        with turn:
            call = next(calls, None)
            if call is not None:
                round_, i = call
                needed = (i, (i + 1) % n) if together is None or round_ < together else range(n)
                turn.wait_for(lambda: stopped or all(rounds_done[j] >= round_ for j in needed))
            return None if stopped else call

    try:
        for _ in run(work, [()] * min(workers, n), workers):
            pass
    finally:  # after an error in one thread, or Ctrl-C, the others end with what they are at
        with turn:
            stopped = True
            turn.notify_all()
    return [[results[round_, i] for i in range(n)] for round_ in range(n_rounds)]

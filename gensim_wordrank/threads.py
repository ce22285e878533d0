"""Running GIL-free kernels on several cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from joblib import Parallel, delayed

Result = TypeVar("Result")


def run(function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[Result]:
    """Call `function` with each tuple of `arguments` on `workers` threads; yield the results in order.

    Examples
    --------
    >>> from gensim_wordrank.threads import run
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

"""How much memory a run may take."""

from __future__ import annotations

import ctypes
import mmap
import re
import resource
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from gensim_wordrank._utils import validation

# of the memory that is free, how much a run takes unless told otherwise
USUAL_SHARE = 0.5
# with less than this left a run is not worth starting
SMALLEST_ROOM = 32 << 20
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
UNITS |= {f"{letter}I": 2 ** (10 * power) for power, letter in enumerate("KMGT", 1)}
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def parse_size(name: str, size: int | float | str) -> int:
    """Return a number of bytes, given as such or as "4GB", "512 MiB" and the like.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import parse_size
    >>> parse_size("memory", "4GB"), parse_size("memory", "1.5 MiB"), parse_size("memory", 10**9)
    (4000000000, 1572864, 1000000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]I?)?B?\s*", str(size).upper())
    number = float(found[1]) * UNITS[found[2] or ""] if found and not isinstance(size, bool) else 0
    if number < 1:
        raise validation.parameter_error(name, 'a number of bytes, or a text like "4GB" or "512MiB"', size)
    return int(number)


def anonymous_array(length: int, dtype: Any) -> NDArray[Any]:
    """Return an array whose memory is taken as it is written, and goes back to the system when the array is given up.

    What malloc gives may stay with the process for good, and be dirty from the last use.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import anonymous_array
    >>> anonymous_array(3, "int32").tolist()
    [0, 0, 0]
    """
    size = max(1, length * np.dtype(dtype).itemsize)
    try:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"There are no {size / 1e6:.0f} MB of memory left.") from error
    return np.frombuffer(pages, dtype, length)


def forget(array: NDArray[Any]) -> None:
    """Give the memory of a part of a :func:`anonymous_array` back to the system; what stood there is lost.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import forget, anonymous_array
    >>> array = anonymous_array(100_000, "int32")
    >>> array[:] = 7
    >>> forget(array[40_000:])
    >>> int(array[39_999]), int(array[-5_000])
    (7, 0)
    """
    advise, page = _of_c("madvise"), mmap.PAGESIZE
    start = array.ctypes.data
    first, last = -(-start // page), (start + array.nbytes) // page  # whole pages only
    if advise is not None and first < last:
        advise(ctypes.c_void_p(first * page), ctypes.c_size_t((last - first) * page), mmap.MADV_DONTNEED)


@cache
def _of_c(name: str) -> Any:
    """Return a function of the C library, or None where it has none of that name."""
    return getattr(ctypes.CDLL(None), name, None)


def trim_heap() -> None:
    """Let the C library return what it keeps of freed memory to the system, where it can."""
    trim = _of_c("malloc_trim")
    if trim is not None:
        trim(0)


def taken() -> int:
    """Return the bytes of memory that this process holds."""
    return int(psutil.Process().memory_info().rss)


def available() -> int:
    """Return the bytes that this process could still take: what the machine has free, or limits on it allow."""
    return max(0, min([psutil.virtual_memory().available, *_cgroups_allow(), *_limits_allow()]))


def budget(memory: int | str | None) -> int:
    """Return the bytes that this process may hold in all: `memory`, or what it has and half of what is available."""
    if memory is None:
        return taken() + int(USUAL_SHARE * available())
    return parse_size("memory", memory)


def check(budget: int) -> None:
    """Raise MemoryError if the budget leaves next to nothing beside what the process has taken."""
    used = taken()
    if budget - used < SMALLEST_ROOM:
        raise MemoryError(
            f"'memory' allows {budget / 1e6:.0f} MB, and the process has taken {used / 1e6:.0f} MB. Give at least "
            f"{(used + SMALLEST_ROOM) / 1e6:.0f} MB."
        )


def require(size: int, memory: int | str | None, remedy: str) -> None:
    """Raise MemoryError, with the figures, if `size` bytes more cannot be had or are more than `memory` allows.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import require
    >>> require(10**15, None, "Lower 'vector_size'.")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    MemoryError: The run needs 1000000000 MB more memory, and ... MB are left. Lower 'vector_size'.
    """
    left = available() if memory is None else min(available(), budget(memory) - taken())
    if size > left:
        raise MemoryError(
            f"The run needs {size / 1e6:.0f} MB more memory, and {max(left, 0) / 1e6:.0f} MB are left"
            f"{'' if memory is None else f' of the {memory!r} that it may take'}. {remedy}"
        )


def room(budget: int) -> int:
    """Return what the budget leaves beside what the process has taken; never less than a run can do with."""
    return max(budget - taken(), SMALLEST_ROOM)


def _limits_allow() -> Iterator[int]:
    """Yield what the limits of the process (ulimit -v and -d) still allow."""
    used = psutil.Process().memory_info()
    for limit, size in ((resource.RLIMIT_AS, used.vms), (resource.RLIMIT_DATA, used.data)):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield most - size


def _cgroups_allow() -> Iterator[int]:
    """Yield what every memory limit above this process still allows (control groups of version 2 and 1)."""
    lines = OWN_CGROUP.read_text().splitlines() if OWN_CGROUP.exists() else []
    for _, controllers, path in (line.split(":", 2) for line in lines):
        if controllers and "memory" not in controllers.split(","):
            continue
        root = CGROUPS / "memory" if controllers else CGROUPS
        limit_file, used_field = ("memory.limit_in_bytes", "total_rss") if controllers else ("memory.max", "anon")
        own = root / path.lstrip("/")
        for group in (own, *own.parents):
            if not group.is_relative_to(root):
                break
            try:
                limit = (group / limit_file).read_text().strip()
                used = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())[used_field]
            except (OSError, KeyError):
                continue  # the root group has no limit, and a container may see only part of the tree
            if limit != "max":
                yield int(limit) - int(used)

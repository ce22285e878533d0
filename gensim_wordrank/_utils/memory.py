"""Memory that a run may use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from gensim_wordrank._utils import system, validation

# share of the free memory that a run uses by default
DEFAULT_SHARE = 0.5
# a run does not start with less
MIN_HEADROOM = 32 << 20
# what OpenBLAS maps for its first matrix product; it ends the process if it cannot
BLAS_BYTES = 36 << 20
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
UNITS |= {f"{letter}I": 2 ** (10 * power) for power, letter in enumerate("KMGT", 1)}
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def parse_size(name: str, size: int | float | str) -> int:
    """Return a number of bytes, given as a number or as a string such as "4GB" or "512 MiB".

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
    """Return an array of zeros in pages of its own, which are allocated when written and unmapped with the array.

    Memory from malloc may stay with the process after it is freed, above all in the arenas of threads.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import anonymous_array
    >>> anonymous_array(3, "int32").tolist()
    [0, 0, 0]
    """
    size = max(1, length * np.dtype(dtype).itemsize)
    try:
        pages = system.anonymous_pages(size)
    except OSError as error:
        raise MemoryError(f"{size / 1e6:.0f} MB of memory cannot be allocated.") from error
    return np.frombuffer(pages, dtype, length)


def resident_bytes() -> int:
    """Return the memory that this process uses, in bytes."""
    return int(psutil.Process().memory_info().rss)


def available_bytes() -> int:
    """Return the bytes that this process can still allocate: the free memory, or what limits allow if that is less."""
    return max(0, min([psutil.virtual_memory().available, *_cgroup_limits(), *system.process_limits()]))


def headroom(memory: int | str | None, reserve: int = 0, required: bool = False) -> int:
    """Return the bytes that a run may still allocate, at least MIN_HEADROOM.

    Parameters
    ----------
    memory : int, str or None
        What the process may use in all; without it, half of what is available may be allocated.
    reserve : int
        Bytes to leave for later.
    required : bool
        Raise MemoryError if less than MIN_HEADROOM is left, or available.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import headroom
    >>> headroom("1MB") == headroom("2MB") == 32 * 2**20
    True
    """
    if required:
        require_available(MIN_HEADROOM, None, "Allow more memory.")
    if memory is None:
        left = int(DEFAULT_SHARE * available_bytes())
    else:
        used = resident_bytes()
        left = parse_size("memory", memory) - used
        if required and left < MIN_HEADROOM:
            raise MemoryError(
                f"'memory' allows {(left + used) / 1e6:.0f} MB, and the process already uses {used / 1e6:.0f} MB. "
                f"Give at least {(used + MIN_HEADROOM) / 1e6:.0f} MB."
            )
    return max(left - reserve, MIN_HEADROOM)


def require_available(size: int, memory: int | str | None, remedy: str) -> None:
    """Raise MemoryError if `size` more bytes are not available or exceed `memory`.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import require_available
    >>> require_available(10**15, None, "Lower 'vector_size'.")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    MemoryError: The run needs 1000000000 MB more memory, and ... MB are left. Lower 'vector_size'.
    """
    left = available_bytes()
    if memory is not None:
        left = min(left, parse_size("memory", memory) - resident_bytes())
    if size > left:
        raise MemoryError(
            f"The run needs {size / 1e6:.0f} MB more memory, and {max(left, 0) / 1e6:.0f} MB are left"
            f"{'' if memory is None else f' of the {memory!r} that it may take'}. {remedy}"
        )


def _cgroup_limits() -> Iterator[int]:
    """Yield the bytes that each control group of the process (version 1 or 2) still allows."""
    try:
        lines = OWN_CGROUP.read_text().splitlines()
    except OSError:  # only Linux has control groups, and a container may hide them
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
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
                used = re.search(rf"^{used_field} (\d+)$", (group / "memory.stat").read_text(), re.MULTILINE)
            except OSError:
                continue  # the root group has no limit, and a container may see only part of the tree
            if limit != "max" and used is not None:
                yield int(limit) - int(used[1])

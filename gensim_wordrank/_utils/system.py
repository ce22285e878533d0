"""Calls to the operating system that not every system has, each with a fallback."""

from __future__ import annotations

import ctypes
import errno
import importlib
import mmap
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

import filelock
import numpy as np
import psutil
from numpy.typing import NDArray

# where os.pread and os.pwrite are missing, one thread at a time moves the position of a file
_position = threading.Lock()


def anonymous_pages(size: int) -> mmap.mmap:
    """Return zeroed memory in pages of its own; the system allocates them when they are written."""
    # otherwise the pages would be shared with child processes; Windows has no flags
    flags = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
    options: dict[str, Any] = {"flags": flags} if flags else {}
    return mmap.mmap(-1, size, **options)


def discard_pages(array: NDArray[Any]) -> None:
    """Return the memory of a part of an array in :func:`anonymous_pages` to the system; its values are lost.

    Examples
    --------
    >>> from gensim_wordrank._utils.memory import anonymous_array
    >>> from gensim_wordrank._utils.system import discard_pages
    >>> array = anonymous_array(100_000, "int32")
    >>> array[:] = 7
    >>> discard_pages(array[40_000:])  # whole pages only
    >>> int(array[39_999])
    7
    """
    pages: Any = array
    while not isinstance(pages, mmap.mmap):
        pages = pages.obj if isinstance(pages, memoryview) else pages.base
    advise, unneeded = getattr(pages, "madvise", None), getattr(mmap, "MADV_DONTNEED", None)
    if advise is None or unneeded is None:
        return
    start = array.ctypes.data - np.frombuffer(pages, np.uint8).ctypes.data
    first, last = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE, (start + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if first < last:
        advise(unneeded, first, last - first)


def trim_heap() -> None:
    """Make the C library return freed memory to the system, if it can."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    """Return glibc's function, or None for another C library."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library without a name
        return None


def process_limits() -> Iterator[int]:
    """Yield the bytes that each limit of the process (ulimit -v and -d) still allows."""
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:
        return
    used = psutil.Process().memory_info()
    for name, field in (("RLIMIT_AS", "vms"), ("RLIMIT_DATA", "data")):
        if hasattr(resource, name) and hasattr(used, field):
            maximum, _ = resource.getrlimit(getattr(resource, name))
            if maximum != resource.RLIM_INFINITY:
                yield maximum - getattr(used, field)


@contextmanager
def open_directory(path: Path) -> Iterator[_Descriptor | None]:
    """Open a directory, to lock it; yield None where that cannot be done."""
    if os.name != "posix":
        yield None
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield _Descriptor(descriptor)
    finally:
        os.close(descriptor)


class _Descriptor:
    """What :func:`try_lock` takes, for a directory: it cannot be opened as a file."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        """Return the number."""
        return self._number


def try_lock(file: IO[Any] | _Descriptor) -> bool:
    """Lock an open file for this process until it is closed; return False if another process has locked it."""
    return filelock.lock_descriptor(file.fileno(), blocking=False)


def allocate(file: IO[bytes], size: int) -> None:
    """Give a file its final size; raise OSError now, not after hours, if the disk has no room for it."""
    reserve = getattr(os, "posix_fallocate", None)
    if reserve is not None:
        reserve(file.fileno(), 0, size)
        return
    if shutil.disk_usage(Path(file.name).parent).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    file.truncate(size)


def read_at(file: IO[bytes], size: int, offset: int) -> bytes:
    """Read up to `size` bytes at `offset`; several threads may read a file."""
    pread: Callable[[int, int, int], bytes] | None = getattr(os, "pread", None)
    if pread is not None:
        return pread(file.fileno(), size, offset)
    with _position:
        os.lseek(file.fileno(), offset, os.SEEK_SET)
        return os.read(file.fileno(), size)


def write_at(file: IO[bytes], data: memoryview, offset: int) -> int:
    """Write bytes at `offset` and return how many were written; several threads may write a file."""
    pwrite: Callable[[int, memoryview, int], int] | None = getattr(os, "pwrite", None)
    if pwrite is not None:
        return pwrite(file.fileno(), data, offset)
    with _position:
        os.lseek(file.fileno(), offset, os.SEEK_SET)
        return os.write(file.fileno(), data)


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM raise SystemExit, so that cleanup runs, unless the program handles it in another way."""
    is_default = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not is_default or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def fsync(path: Path) -> None:
    """Flush a file or a directory to disk."""
    if sys.platform == "win32":  # flushes only files, and only those open for writing
        if not path.is_dir():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

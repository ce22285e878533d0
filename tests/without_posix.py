"""A pytest plugin that hides what Windows or macOS lacks from the package: ``pytest -p without_posix``.

The libraries are imported first: they have fallbacks of their own, which they choose by the name of the system.
"""

import asyncio  # noqa: F401
import ctypes
import mmap
import multiprocessing.pool  # noqa: F401
import os
import signal
import sys
from types import SimpleNamespace

import filelock
import gensim.models  # noqa: F401
import joblib.externals.loky  # noqa: F401
import psutil

MODULES = ["fcntl", "resource", "pwd", "grp", "termios"]
FUNCTIONS = [(os, name) for name in ("posix_fallocate", "pread", "pwrite", "posix_fadvise", "sched_getaffinity")]
FUNCTIONS += [(mmap, name) for name in ("MAP_PRIVATE", "MAP_ANONYMOUS", "MADV_DONTNEED")]
FUNCTIONS += [(signal, "SIGKILL"), (os, "O_NOFOLLOW"), (os, "O_CLOEXEC"), (os, "O_NONBLOCK")]


def open_library(name, *arguments, original=ctypes.CDLL, **options):
    """Open a library; refuse the C library, as Windows does."""
    if name is None:
        raise TypeError("bad argument type for built-in operation")
    return original(name, *arguments, **options)


def memory_info(process, original=psutil.Process.memory_info):
    """Return the fields of macOS."""
    found = original(process)
    return SimpleNamespace(rss=found.rss, vms=found.vms)


def pytest_configure():
    """Hide modules, functions and the control groups."""
    assert filelock.has_fcntl  # it was imported before
    for name in MODULES:
        sys.modules[name] = None
    for owner, name in FUNCTIONS:
        delattr(owner, name)
    ctypes.CDLL = open_library
    psutil.Process.memory_info = memory_info
    delattr(psutil.Process, "cpu_affinity")
    from gensim_wordrank._utils import memory

    memory.OWN_CGROUP = memory.Path("/missing/cgroup")

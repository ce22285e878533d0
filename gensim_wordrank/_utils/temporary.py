"""Temporary directories that can be recognized, and removed, after the process that made them was killed."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from gensim_wordrank._utils import system

# a random name, and the pattern that finds it
TOKEN = r"[0-9a-f]{16}"
# in each temporary directory: a file that its process keeps locked, and a directory for the contents
OWNER, CONTENTS = "gensim-wordrank.lock", "contents"
# how the names begin of temporary directories that do not lie beside a result
PREFIX = "gensim-wordrank-"


def new_token() -> str:
    """Return a random name."""
    return secrets.token_hex(8)


class TemporaryDirectory:
    """A directory that is removed when this object is closed or garbage-collected.

    If the process is killed, the next one that creates a temporary directory with the same `prefix` removes it. Only
    directories that a process of this package made, and that no living process uses, are removed.

    Parameters
    ----------
    parent : path, optional
        Where to create it; by default in TMPDIR.
    prefix : str
        How its name begins.

    Attributes
    ----------
    path : Path
        Where files can be written.
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None, prefix: str = PREFIX) -> None:
        parent = Path(tempfile.gettempdir() if parent is None else parent)
        remove_leftovers(parent, re.escape(prefix))
        while True:
            root = parent / f"{prefix}{new_token()}"
            try:
                root.mkdir(mode=0o700)
                lock = _lock(root / OWNER, os.O_CREAT | os.O_EXCL)
                (root / CONTENTS).mkdir()
            except (FileNotFoundError, BlockingIOError):  # another process took it for a leftover
                continue
            except BaseException:  # also Ctrl-C
                shutil.rmtree(root, ignore_errors=True)
                raise
            break
        self.path = root / CONTENTS
        self._finalizer = weakref.finalize(self, _remove_own, root, lock, os.getpid())

    def close(self) -> None:
        """Remove the directory."""
        self._finalizer()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: Any) -> None:
        self.close()


def remove_leftovers(parent: Path, prefix: str) -> None:
    """Remove temporary directories of killed processes; `prefix` is the pattern that their names begin with."""
    pattern = re.compile(f"(?:{prefix}){TOKEN}")
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                _remove_if_unused(Path(entry.path))


def _remove_if_unused(root: Path) -> None:
    try:
        lock = _lock(root / OWNER)
    except FileNotFoundError:  # its process was killed before it could create the file, or after it removed it
        with suppress(OSError):
            root.rmdir()
    except OSError:  # in use, or of another user
        return
    else:
        _remove(root, lock)


def _lock(path: Path, flags: int = 0) -> IO[bytes]:
    """Open and lock a file; raise BlockingIOError if another process has it locked."""
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | flags, 0o600)
    file = os.fdopen(descriptor, "rb+", buffering=0)
    try:
        is_locked = system.try_lock(file)
    except OSError:  # where there are no locks, a new directory is used without one, and leftovers stay
        is_locked = bool(flags)
    if not is_locked:
        file.close()
        raise BlockingIOError(errno.EWOULDBLOCK, "in use", str(path))
    return file


def _remove(root: Path, lock: IO[bytes]) -> None:
    """Remove a directory whose lock this process holds; the lock last, so that what a kill leaves can be recognized."""
    shutil.rmtree(root / CONTENTS, ignore_errors=True)
    if (root / CONTENTS).exists():  # Windows cannot remove mapped files: the next directory of this name removes them
        lock.close()
        return
    with suppress(OSError):
        try:
            (root / OWNER).unlink()
        except PermissionError:  # nor open ones
            lock.close()
            (root / OWNER).unlink()
        root.rmdir()
    lock.close()


def _remove_own(root: Path, lock: IO[bytes], process: int) -> None:
    if os.getpid() == process:  # not in a fork
        _remove(root, lock)

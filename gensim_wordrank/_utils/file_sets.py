"""Files that belong together under names that are not ours to choose: all old or all new, also after a kill.

The new files are written to a directory that one rename makes valid, the journal, and then moved to their places. While
the journal exists, a file in it takes the place of the one that it will replace.
"""

from __future__ import annotations

import errno
import os
import shutil
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from gensim_wordrank._utils import atomic_files

Result = TypeVar("Result")
PathLike = str | os.PathLike[str]

# how often to begin again if files are replaced while they are read
MAX_READS = 1000


def write_files_atomically(paths: Sequence[PathLike], writers: Sequence[Callable[[str], None]]) -> None:
    """Call `write(name)` for each file, then replace all of them together. A pipe or device receives a copy."""
    targets = [atomic_files.target_file(Path(path)) for path in paths]
    if any(map(atomic_files.is_special_file, targets)):
        for target, write in zip(targets, writers, strict=True):
            atomic_files.write_atomically(target, write)
        return
    journal = _journal(targets)
    with atomic_files.describe_write_errors(targets[0]), atomic_files.sibling_directory(targets[0]) as scratch:
        for target, file, write in zip(targets, _files_in(scratch, targets), writers, strict=True):
            atomic_files.require_writable_file(target)
            write(str(file))
            if target.is_file():
                shutil.copymode(target, file)
        atomic_files.fsync(*_files_in(scratch, targets), scratch)
        with atomic_files.locked(targets[0].parent):
            _finish(journal, targets)  # what a process that was killed left
            first, journaled = (_files_in(directory, targets)[0] for directory in (scratch, journal))
            atomic_files.note_published(targets[0], first, journaled)
            scratch.rename(journal)
            _finish(journal, targets)


def read_files(paths: Sequence[PathLike], read: Callable[..., Result]) -> Result:
    """Call `read` with a path per file; begin again if they were replaced meanwhile."""
    targets = [Path(path).resolve() for path in paths]
    for _ in range(MAX_READS):
        before = _current(targets)
        stamps = [_stamp(path) for path in before]
        try:
            result = read(*before)
        except (OSError, ValueError):
            after = _current(targets)
            if after == before and [_stamp(path) for path in after] == stamps:
                raise
        else:
            if [_stamp(path) for path in _current(targets)] == stamps:
                return result
    raise OSError(f"'{paths[0]}' is being replaced again and again. Try later.")


def _journal(targets: Sequence[Path]) -> Path:
    """Return the name of the journal, which depends on the names of all files."""
    first = targets[0].absolute()
    others = "\n".join(os.path.relpath(target.absolute(), first.parent) for target in targets[1:])
    return first.with_name(f".{first.name}.{zlib.crc32(os.fsencode(others)):08x}.journal")


def _files_in(directory: Path, targets: Sequence[Path]) -> list[Path]:
    return [directory / f"{number}-{target.name}" for number, target in enumerate(targets)]


def _current(targets: Sequence[Path]) -> list[Path]:
    """Return where the files are now: in the journal, or in their places."""
    journaled = _files_in(_journal(targets), targets)
    return [file if file.is_file() else target for file, target in zip(journaled, targets, strict=True)]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what tells a file from the one that replaces it, wherever it is."""
    with suppress(OSError):
        found = path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def _finish(journal: Path, targets: Sequence[Path]) -> None:
    """Move the files of a journal to their places, and remove it."""
    for file, target in zip(_files_in(journal, targets), targets, strict=True):
        if file.is_file():
            _move(file, target)
    with suppress(FileNotFoundError):
        atomic_files.fsync(*{target.parent for target in targets})
        journal.rmdir()


def _move(file: Path, target: Path) -> None:
    try:
        file.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise

        def copy(name: str) -> None:
            shutil.copy2(file, name)

        atomic_files.write_atomically(target, copy)
        file.unlink()

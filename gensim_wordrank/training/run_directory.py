"""The directory of a training run: which names in it are ours, its lock, and its mark while a run begins."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from gensim_wordrank._utils import atomic_files, checksummed, system, temporary
from gensim_wordrank.training.state import State

RUN = checksummed.Format("training run", 4, "Start over.")
EPOCH = checksummed.Format("checkpoint", 3, "The one before is used.")
# a file that the process which uses the directory locks, one that exists until a new run is complete, and its contents
LOCK, INCOMPLETE, MARK = ".gensim-wordrank.lock", ".gensim-wordrank.incomplete", b"gensim-wordrank\n"
# seconds to wait for a process that only looks
LOCK_TIMEOUT = 2.0
# the names of checkpoints, of all directories, and of the files of a checkpoint
CHECKPOINT = r"epoch-\d{6,}"
DIRECTORIES = rf"run|cooccurrence|{CHECKPOINT}"
CHECKPOINT_FILES = {checksummed.MANIFEST, "progress.json"} | {
    f"{field.name}{suffix}" for field in fields(State) for suffix in (".npy", ".json")
}


def require_free(directory: Path) -> None:
    """Refuse a directory that holds a run, or files of others under the names of a run."""
    refuse_links(directory)
    if (directory / "run").exists():
        raise FileExistsError(
            f"'{directory}' holds a training run. Resume it with WordRank.resume or `wordrank resume`, or give "
            "'checkpoint' another directory."
        )
    others = [place for place in checkpoints(directory) if not _is_checkpoint(place)]
    if not _is_marked(directory / INCOMPLETE):  # otherwise a run was interrupted while it began
        others += _directories(directory, "cooccurrence")
    if others:
        raise FileExistsError(
            f"'{others[0]}' does not belong to a training run and would be replaced. Give 'checkpoint' another "
            "directory."
        )


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other processes out of a directory, and remove the incomplete files of a run that was interrupted."""
    with open_lock(directory) as file:
        lock(file)
        temporary.remove_leftovers(directory, rf"\.({DIRECTORIES}|checked)\.")
        yield


def open_lock(directory: Path) -> IO[bytes]:
    """Open or create the file that is locked. Its contents do not matter: they are neither read nor changed."""
    path = directory / LOCK
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise _not_ours(path)

    def opener(name: str, flags: int) -> int:
        # a link that was put there since is not followed, and opening a pipe does not wait
        more = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        return os.open(name, flags | more, 0o666)

    return open(path, "rb+", buffering=0, opener=opener)  # Path.open has no opener


def mark(directory: Path) -> None:
    """Create the file that says that a run is incomplete; refuse one of others."""
    path = directory / INCOMPLETE
    try:
        with path.open("xb") as file:
            file.write(MARK)
    except FileExistsError:
        if not _is_marked(path):
            raise _not_ours(path) from None


def _is_marked(path: Path) -> bool:
    """Return True if a file is one that :func:`mark` made, perhaps before it could write to it."""
    return path.is_file() and not path.is_symlink() and MARK.startswith(path.read_bytes()[: len(MARK) + 1])


def unmark(directory: Path) -> None:
    """Remove the file that says that a run is incomplete, if it is ours."""
    if _is_marked(directory / INCOMPLETE):
        (directory / INCOMPLETE).unlink()


def _not_ours(path: Path) -> FileExistsError:
    return FileExistsError(f"'{path}' is not what a training run wrote there. Move it away.")


def refuse_links(directory: Path) -> None:
    """Refuse links among the names of a run: files would be read and written elsewhere."""
    for entry in directory.iterdir():
        if re.fullmatch(DIRECTORIES, entry.name) and entry.is_symlink():
            raise FileExistsError(f"'{entry}' is a link, and a training run follows none. Move its target there.")


def lock(file: IO[bytes]) -> None:
    """Lock a file; raise RuntimeError if another process has it locked."""
    end = monotonic() + LOCK_TIMEOUT
    while not system.try_lock(file):
        if monotonic() > end:
            place = Path(file.name).parent
            raise RuntimeError(f"Another process is training in '{place}'. Wait for it, or stop it.")
        sleep(0.05)


def checkpoints(directory: Path) -> list[Path]:
    """Return the directories with names of checkpoints, the earliest first."""
    return sorted(_directories(directory, CHECKPOINT))


def remove_checkpoint(place: Path) -> None:
    """Remove a checkpoint, whole or damaged. One that holds anything else is left alone."""
    with suppress(OSError):
        if {atomic_files.plain_name(entry.name) for entry in place.iterdir()} <= CHECKPOINT_FILES:
            shutil.rmtree(place)


def refuse_output(directory: Path, output: Path) -> None:
    """Raise ValueError if a result would take the place of a run or of a part of it."""
    place, target = directory.resolve(), output.resolve()
    first = target.relative_to(place).parts[:1] if target.is_relative_to(place) else ()
    is_part = any(re.fullmatch(rf"{DIRECTORIES}|{re.escape(LOCK)}|{re.escape(INCOMPLETE)}", name) for name in first)
    if is_part or place.is_relative_to(target):
        raise ValueError(f"Cannot write '{output}': the training run is kept there. Give another name.")


def _is_checkpoint(place: Path) -> bool:
    """Return True if a directory is a checkpoint of any run."""
    try:
        return bool(checksummed.read_checksums(place, EPOCH))
    except (OSError, ValueError):
        return False


def _directories(place: Path, names: str) -> list[Path]:
    """Return the directories whose names match a pattern; all others do not belong to a run."""
    return [entry for entry in place.iterdir() if re.fullmatch(names, entry.name) and entry.is_dir()]

"""Files: written so that a failure never leaves half of one, nor harms what was there; damaged ones named."""

from __future__ import annotations

import errno
import fcntl
import lzma
import os
import pickle
import re
import shutil
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from gensim_wordrank._utils import validation

Writer = TypeVar("Writer")

# what the names of directories end in that are being written
SCRATCH_NAME = r"[a-z0-9_]{8}"


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a name under which no file can be written, before hours are spent on what would stand there.

    Examples
    --------
    >>> from gensim_wordrank._utils.atomic_files import check_target
    >>> check_target("nowhere/notes.txt")
    Traceback (most recent call last):
    ...
    FileNotFoundError: Cannot write 'nowhere/notes.txt': there is no directory 'nowhere'. Make it first.
    """
    with _scratch_for(Path(path)):
        pass


def writer_for(path: str | os.PathLike[str], writers: Mapping[str, Writer]) -> Writer:
    """Return what writes files whose names end so; refuse other ends, and names under which no file can be written.

    Examples
    --------
    >>> from gensim_wordrank._utils.atomic_files import writer_for
    >>> writer_for("notes.TXT", {".txt": print}) is print
    True
    """
    write = writers.get(Path(path).suffix.lower())
    if write is None:
        raise validation.parameter_error("path", f"a name ending in {', '.join(writers)}", os.fspath(path))
    check_target(path)
    return write


def write_atomically(path: str | os.PathLike[str], write: Callable[[str], None]) -> None:
    """Let `write(name)` write one or more files whose names begin with `name`, then move them beside `path`.

    `write` gets a name in a new directory of the same file system. Only when it has returned are its files renamed
    into place, the one that is called like `path` itself last. A link stays a link, and a file that is replaced keeps
    its mode; into a pipe or a device the one file is copied.

    Examples
    --------
    >>> import os, tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank._utils.atomic_files import write_atomically
    >>> target = os.path.join(tempfile.mkdtemp(), "notes.txt")
    >>> write_atomically(target, lambda name: Path(name).write_text("whole") and None)
    >>> Path(target).read_text()
    'whole'
    """
    target = Path(path)
    with _scratch_for(target) as scratch:
        write(str(Path(scratch, target.name)))
        _settle(Path(scratch))
        written = sorted(Path(scratch).iterdir(), key=lambda file: file.name == target.name)
        if is_special(target) and len(written) > 1:
            raise OSError(f"Cannot write '{target}': there are {len(written)} files to be written. Name a file.")
        for file in written:
            _put(file, target.with_name(file.name))


def is_special(path: str | os.PathLike[str]) -> bool:
    """Say whether there is something that takes one file and cannot be replaced: a pipe, a device, an open file."""
    target = Path(path)
    return _descriptor(target) is not None or (target.exists() and not target.is_file() and not target.is_dir())


def _descriptor(target: Path) -> int | None:
    """Return the number of the open file of this process that a name like /dev/stdout, or a link to it, stands for."""
    place = target.absolute()
    for _ in range(40):  # as many links as Linux follows
        if found := re.fullmatch(rf"/(?:dev|proc/(?:self|{os.getpid()}))/fd/(\d+)", str(place)):
            return int(found[1])
        if not place.is_symlink():
            break
        place = place.parent / place.readlink()
    return None


def _put(file: Path, target: Path) -> None:
    """Give a file the name of another, or of what a link points to; copy it into a pipe or a device."""
    if is_special(target):
        number = _descriptor(target)  # what is open already is written to where it stands
        if sys.stdout is not None:
            sys.stdout.flush()  # what was printed before comes before
        with (
            file.open("rb") as source,
            target.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as sink,
        ):
            shutil.copyfileobj(source, sink)
        return
    if target.is_file():
        shutil.copymode(target, file)
    if not target.is_symlink():
        file.replace(target)
        return
    real = target.resolve()
    with _scratch_beside(real) as scratch:  # perhaps on another file system
        copy = shutil.copy(file, scratch)
        _settle(Path(scratch))
        Path(copy).replace(real)


def write_directory_atomically(path: str | os.PathLike[str], write: Callable[[Path], None]) -> None:
    """Let `write(directory)` fill a new directory, then give it the name `path`.

    What was there under that name goes, if it is a directory of the same kind: one that holds a file of every name that
    was written, and no others. Anything else is left alone, with an error. A link stays a link.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank._utils.atomic_files import write_directory_atomically
    >>> target = Path(tempfile.mkdtemp(), "notes")
    >>> write_directory_atomically(target, lambda directory: (directory / "one").write_text("whole") and None)
    >>> (target / "one").read_text()
    'whole'
    """
    target = _behind_link(Path(path))
    refuse_file(target)
    with _scratch_beside(target) as scratch:
        new, old = Path(scratch, "new"), Path(scratch, "old")
        new.mkdir()
        write(new)
        _settle(new)
        _refuse_others(target, {file.name for file in new.iterdir()})
        try:
            if target.exists():
                target.rename(old)
            new.rename(target)
        except BaseException:  # Ctrl-C between the two, too
            if old.exists() and not target.exists():
                old.rename(target)
            raise


def check_directory(path: str | os.PathLike[str], names: Collection[str]) -> None:
    """Refuse a name under which no directory of such files can be written, before hours are spent on them."""
    target = _behind_link(Path(path))
    refuse_file(target)
    with _scratch_beside(target):
        _refuse_others(target, set(names))


def _behind_link(path: Path) -> Path:
    """Return what a link points to, and other names as they were given."""
    return path.resolve() if path.is_symlink() else path


def refuse_file(target: Path) -> None:
    """Refuse a name for a directory under which there is something else."""
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"Cannot write the directory '{target}': there is a file of that name. Move it away.")


def _refuse_others(target: Path, names: set[str]) -> None:
    there = {file.name for file in target.iterdir()} if target.is_dir() else set()
    if there and there != names:
        raise FileExistsError(f"'{target}' holds other files. Give a new name, or the name of an older result.")


@contextmanager
def reading(source: Any) -> Iterator[None]:
    r"""Turn what a damaged file ends in, a text or a pickle, compressed or not, into an error that names it.

    `source` is a path, an address, or an open file.

    Examples
    --------
    >>> from gensim_wordrank._utils.atomic_files import reading
    >>> with reading("text.txt"):
    ...     b"\xff".decode()
    Traceback (most recent call last):
    ...
    ValueError: 'text.txt' is not UTF-8 near b'\xff'. Convert it to UTF-8.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise OSError(f"{_name_of(source)} cannot be read without the module {error.name!r}. Install it.") from error
    except (EOFError, ImportError, pickle.UnpicklingError, zlib.error, lzma.LZMAError) as error:
        raise OSError(f"{_name_of(source)} is damaged or cut off: {error}") from error
    except UnicodeDecodeError as error:
        near = error.object[max(error.start - 10, 0) : error.end + 10]
        raise ValueError(f"{_name_of(source)} is not UTF-8 near {near!r}. Convert it to UTF-8.") from error


def _name_of(source: Any) -> str:
    """Return what an error calls the source."""
    return f"'{os.fspath(source)}'" if isinstance(source, (str, os.PathLike)) else f"The text in {source!r}"


class Scratch:
    """A temporary directory that goes when nobody holds this object any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="wordrank-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _settle(directory: Path) -> None:
    """Bring what a directory holds to the disk, so that a power cut cannot leave a name without its contents."""
    for path in (*directory.iterdir(), directory):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _scratch_for(target: Path) -> AbstractContextManager[str]:
    """Make a directory for files that will be renamed, or copied into a pipe or a device."""
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{target}': it is a directory. Give the name of a file.")
    number = _descriptor(target)
    if number is not None:
        _check_writable(number, target)
    return tempfile.TemporaryDirectory() if is_special(target) else _scratch_beside(target)


def _check_writable(number: int, target: Path) -> None:
    """Refuse a file that is not open, or only to be read."""
    try:
        flags = fcntl.fcntl(number, fcntl.F_GETFL)
    except OSError as error:
        raise OSError(error.errno, f"Cannot write '{target}': it is not open") from error
    if flags & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, f"Cannot write '{target}': it is open to be read")


@contextmanager
def _scratch_beside(target: Path) -> Iterator[str]:
    """Make a directory beside the target, for files that will be renamed."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{target}': there is no directory '{target.parent}'. Make it first.")
    try:
        scratch = tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, f"Cannot write into '{target.parent}': {error.strerror}") from error
    with scratch as name:
        yield name

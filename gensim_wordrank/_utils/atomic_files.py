"""Write files and directories atomically, and name the file in read errors."""

from __future__ import annotations

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

from gensim_wordrank._utils import system, validation

Writer = TypeVar("Writer")

# pattern of the suffix of temporary directories: after a crash, left-over ones can be recognized by it
TEMPORARY_SUFFIX = r"[a-z0-9_]{8}"


def require_writable_file(path: str | os.PathLike[str]) -> None:
    """Raise OSError if a file cannot be written to `path`, so that it is known before hours of work."""
    with _temporary_directory(Path(path)):
        pass


def select_writer(path: str | os.PathLike[str], writers: Mapping[str, Writer]) -> Writer:
    """Return the writer for the suffix of `path`; raise an error if there is none or the file cannot be written."""
    write = writers.get(Path(path).suffix.lower())
    if write is None:
        raise validation.parameter_error("path", f"a name ending in {', '.join(writers)}", os.fspath(path))
    require_writable_file(path)
    return write


def write_atomically(path: str | os.PathLike[str], write: Callable[[str], None]) -> None:
    """Call `write(name)`, which may write several files whose names begin with `name`, then move them to `path`.

    `name` is in a temporary directory on the same file system. The files are moved only after `write` has returned, the
    one named like `path` last. A symbolic link is kept, and a replaced file keeps its mode. A pipe or device receives a
    copy of the file.
    """
    target = Path(path)
    with _temporary_directory(target) as scratch:
        write(str(Path(scratch, target.name)))
        _fsync_directory(Path(scratch))
        written = sorted(Path(scratch).iterdir(), key=lambda file: file.name == target.name)
        if is_special_file(target) and len(written) > 1:
            raise OSError(f"Cannot write '{target}': there are {len(written)} files to be written. Give a file name.")
        for file in written:
            _move_file(file, target.with_name(file.name))


def is_special_file(path: str | os.PathLike[str]) -> bool:
    """Return True if `path` is a pipe, a device or an open file, which can be written but not replaced."""
    target = Path(path)
    return _file_descriptor(target) is not None or (target.exists() and not target.is_file() and not target.is_dir())


def _file_descriptor(target: Path) -> int | None:
    """Return the file descriptor of a path such as /dev/stdout, or of a link to it; None for other paths."""
    path = target.absolute()
    for _ in range(40):  # Linux follows at most 40 links
        if found := re.fullmatch(rf"/(?:dev|proc/(?:self|{os.getpid()}))/fd/(\d+)", str(path)):
            return int(found[1])
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


def _move_file(file: Path, target: Path) -> None:
    """Rename a file to `target`, or to what that links to; copy it into a pipe or a device."""
    if is_special_file(target):
        number = _file_descriptor(target)  # an open file is written at its current position
        if sys.stdout is not None:
            sys.stdout.flush()  # keeps the order of the output
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
    with _sibling_directory(real) as scratch:  # the link may lead to another file system
        copy = shutil.copy(file, scratch)
        _fsync_directory(Path(scratch))
        Path(copy).replace(real)


def write_directory_atomically(path: str | os.PathLike[str], write: Callable[[Path], None]) -> None:
    """Call `write(directory)` to fill a temporary directory, then rename it to `path`.

    An existing directory is replaced only if it holds files of exactly the same names. Anything else is kept, and an
    error is raised. A symbolic link is kept.
    """
    target = _target_directory(path)
    with _sibling_directory(target) as scratch:
        new, old = Path(scratch, "new"), Path(scratch, "old")
        new.mkdir()
        write(new)
        _fsync_directory(new)
        _require_same_files(target, {file.name for file in new.iterdir()})
        try:
            if target.exists():
                target.rename(old)
            new.rename(target)
        except BaseException:  # also Ctrl-C between the two
            if old.exists() and not target.exists():
                old.rename(target)
            raise


def require_writable_directory(path: str | os.PathLike[str], names: Collection[str]) -> None:
    """Raise OSError if a directory with files of these names cannot be written to `path`."""
    target = _target_directory(path)
    with _sibling_directory(target):
        _require_same_files(target, set(names))


def _target_directory(path: str | os.PathLike[str]) -> Path:
    """Follow a symbolic link; raise NotADirectoryError if there is a file."""
    target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
    require_no_file(target)
    return target


def require_no_file(target: Path) -> None:
    """Raise NotADirectoryError if `target` exists and is not a directory."""
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"Cannot write the directory '{target}': there is a file of that name. Move it.")


def _require_same_files(target: Path, names: set[str]) -> None:
    there = {file.name for file in target.iterdir()} if target.is_dir() else set()
    if there and there != names:
        raise FileExistsError(f"'{target}' holds other files. Give a new name, or the name of an older result.")


@contextmanager
def describe_read_errors(source: Any) -> Iterator[None]:
    """Convert errors of reading a text or a pickle, compressed or not, into errors that name the file.

    `source` is a path, a URL, or an open file.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise OSError(f"{_describe(source)} cannot be read without the module {error.name!r}. Install it.") from error
    except (EOFError, ImportError, pickle.UnpicklingError, zlib.error, lzma.LZMAError) as error:
        raise OSError(f"{_describe(source)} is damaged or cut off: {error}") from error
    except UnicodeDecodeError as error:
        raise encoding_error(source, error) from error


def encoding_error(source: Any, error: UnicodeDecodeError) -> ValueError:
    """Return an error that names the file that is not UTF-8."""
    near = error.object[max(error.start - 10, 0) : error.end + 10]
    return ValueError(f"{_describe(source)} is not UTF-8 near {near!r}. Convert it to UTF-8.")


def _describe(source: Any) -> str:
    """Return the name of a source for error messages."""
    return f"'{os.fspath(source)}'" if isinstance(source, (str, os.PathLike)) else f"The text in {source!r}"


class ScratchDirectory:
    """A temporary directory that is removed when this object is garbage-collected."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="wordrank-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _fsync_directory(directory: Path) -> None:
    """Flush a directory and its files to disk, so that after a power failure no renamed file is empty."""
    for path in (*directory.iterdir(), directory):
        system.fsync(path)


def _temporary_directory(target: Path) -> AbstractContextManager[str]:
    """Create a directory for files that will be renamed to `target`, or copied into it if it is a pipe or a device."""
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{target}': it is a directory. Give the name of a file.")
    number = _file_descriptor(target)
    if number is not None:
        _check_writable(number, target)
    return tempfile.TemporaryDirectory() if is_special_file(target) else _sibling_directory(target)


def _check_writable(number: int, target: Path) -> None:
    """Raise OSError if a file descriptor is not open for writing."""
    try:
        os.fstat(number)
    except OSError as error:
        raise OSError(error.errno, f"Cannot write '{target}': it is not open") from error
    try:
        os.write(number, b"")
    except OSError as error:
        raise OSError(error.errno, f"Cannot write '{target}': it is open for reading only") from error


@contextmanager
def _sibling_directory(target: Path) -> Iterator[str]:
    """Create a temporary directory next to `target`, on the same file system."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{target}': there is no directory '{target.parent}'. Create it first.")
    try:
        scratch = tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, f"Cannot write into '{target.parent}': {error.strerror}") from error
    with scratch as name:
        yield name

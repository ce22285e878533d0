"""Write files and directories so that readers find the old or the new result, and name the file in read errors.

A result is written to a temporary directory on the same file system and then published by one rename. If it consists of
several files, all but one, the companions, have a random part in their names, their generation. They are moved first;
the rename of the last file, which names them, makes them the result. Then older generations are removed. What a killed
process leaves is removed by the next one that writes the same result.
"""

from __future__ import annotations

import errno
import lzma
import os
import pickle
import re
import shutil
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from gensim_wordrank._utils import system, validation
from gensim_wordrank._utils.temporary import TOKEN, TemporaryDirectory, new_token

Writer = TypeVar("Writer")

# seconds to wait while another process moves files into the same directory
LOCK_TIMEOUT = 10.0
# the inode of each result that this process has begun to publish, and where it may be
_published: dict[Path, tuple[int, tuple[Path, ...]]] = {}


def published() -> list[str]:
    """Return the names of the results that this process has written."""
    return [
        str(target)
        for target, (inode, places) in _published.items()
        if any(place.exists() and place.stat().st_ino == inode for place in places)
    ]


def note_published(target: Path, file: Path, *places: Path) -> None:
    """Remember that a file or directory is about to become a result, at `target` or another of the places."""
    _published[target] = file.stat().st_ino, (target, *places)


def require_writable_file(path: str | os.PathLike[str]) -> None:
    """Raise OSError if a file cannot be written to `path`, so that it is known before hours of work."""
    target = target_file(Path(path))
    with TemporaryDirectory() if is_special_file(target) else sibling_directory(target):
        pass


def select_writer(path: str | os.PathLike[str], writers: Mapping[str, Writer]) -> Writer:
    """Return the writer for the suffix of `path`; raise an error if there is none or the file cannot be written."""
    write = writers.get(Path(path).suffix.lower())
    if write is None:
        raise validation.parameter_error("path", f"a name ending in {', '.join(writers)}", os.fspath(path))
    require_writable_file(path)
    return write


def require_other_file(output: str | os.PathLike[str], sources: Collection[Any]) -> None:
    """Raise ValueError if the result would replace one of the files that it is made from, or lie among them."""
    target = Path(output)
    for source in sources if not is_special_file(output) else ():
        is_same = is_inside = False
        with suppress(OSError, TypeError, ValueError):  # a source may be a URL, and the output need not exist
            if not isinstance(source, (str, os.PathLike)):  # an open file
                is_same = os.path.samestat(os.fstat(source.fileno()), target.stat())
            else:
                is_inside = Path(source).is_dir() and target.resolve().is_relative_to(Path(source).resolve())
                is_same = target.samefile(source)
        if is_same or is_inside:
            where = "it lies in the directory of" if is_inside and not is_same else "it is also"
            raise ValueError(f"Cannot write '{os.fspath(output)}': {where} the input. Give another name.")


def write_atomically(path: str | os.PathLike[str], write: Callable[[str], None]) -> None:
    """Call `write(name)` to write a file, and move it to `path`.

    `write` may also write companions: files named `companion_prefix(name, generation)` and a suffix, of one generation
    that is a :func:`~gensim_wordrank._utils.temporary.new_token`. A symbolic link is kept, and all files go to where it
    leads. A replaced file keeps its mode. A pipe or device receives a copy of the file.
    """
    target = target_file(Path(path))
    if is_special_file(target):
        with describe_write_errors(target), TemporaryDirectory() as scratch:
            write(str(scratch / target.name))
            _copy_into(target, sorted(scratch.iterdir()))
        return
    with describe_write_errors(target), sibling_directory(target) as scratch:
        main = scratch / target.name
        write(str(main))
        companions = [file for file in scratch.iterdir() if file != main]
        if target.is_file():
            for file in (main, *companions):
                shutil.copymode(target, file)
        _publish(main, target, companions, lambda name: _is_companion(name, target))


@contextmanager
def describe_write_errors(target: Path) -> Iterator[None]:
    """Name the result in the error if the disk is full or its quota is used up."""
    try:
        yield
    except OSError as error:
        number = error.errno
        if number is None and "requested and" in str(error):  # so NumPy reports a full disk
            number = errno.ENOSPC
        if number not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "Cannot write" in str(error):
            raise
        raise OSError(number, f"Cannot write '{target}': {os.strerror(number)}") from error


def companion_prefix(name: str, generation: str) -> str:
    """Return how the names of the companions of a file begin."""
    return f"{name}.{generation}."


def total_size(path: str | os.PathLike[str]) -> int:
    """Return the bytes of a file and its companions, or of all files in a directory."""
    if Path(path).is_dir():
        return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())
    target = target_file(Path(path))
    companions = [file for file in target.parent.iterdir() if _is_companion(file.name, target)]
    return sum(file.stat().st_size for file in (target, *companions))


def _is_companion(name: str, target: Path) -> bool:
    return re.fullmatch(rf"{re.escape(target.name)}\.{TOKEN}\..+", name) is not None


def _publish(main: Path, target: Path, companions: list[Path], is_companion: Callable[[str], bool]) -> None:
    """Move companions beside `target`, rename `main` to it, and remove the companions of older generations."""
    fsync(*companions, main)
    directory, current = target.parent, {file.name for file in companions}
    with locked(directory):
        try:
            for file in companions:
                file.replace(directory / file.name)
            if companions:
                fsync(directory)
            note_published(target, main)
            main.replace(target)
        except BaseException:
            if main.exists():  # it was not published
                for name in current:
                    (directory / name).unlink(missing_ok=True)
            raise
        with suppress(OSError):  # the result is there
            fsync(directory)
            for entry in directory.iterdir():
                if is_companion(entry.name) and entry.name not in current:
                    entry.unlink(missing_ok=True)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Let only one process at a time move files into a directory, where the system has locks for it."""
    end = monotonic() + LOCK_TIMEOUT
    with system.open_directory(directory) as lock:
        while lock is not None and not system.try_lock(lock) and monotonic() < end:
            sleep(0.01)
        yield


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


def _copy_into(target: Path, files: list[Path]) -> None:
    """Copy a file into a pipe, a device or an open file."""
    if len(files) > 1:
        raise OSError(f"Cannot write '{target}': there are {len(files)} files to be written. Give a file name.")
    number = _file_descriptor(target)  # an open file is written at its current position
    if sys.stdout is not None:
        sys.stdout.flush()  # keeps the order of the output
    note_published(target, target)
    with (
        files[0].open("rb") as source,
        target.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as sink,
    ):
        shutil.copyfileobj(source, sink)


def write_directory_atomically(path: str | os.PathLike[str], write: Callable[[Path], None], manifest: str) -> None:
    """Call `write(directory)` to fill a temporary directory, then rename it to `path`.

    The directory holds files only. If there is one at `path`, its files are replaced, but only if they have exactly the
    same names. Anything else is kept, and an error is raised. The file `manifest` holds the names of the others in
    double quotes; it is replaced last, and its names are changed to those of their generation. A symbolic link is kept.
    """
    target = _target_directory(path)
    with describe_write_errors(target), sibling_directory(target) as new:
        write(new)
        fsync(*new.iterdir(), new)
        _require_same_files(target, {file.name for file in new.iterdir()})
        note_published(target, new)
        try:
            new.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            _replace_files(new, target, manifest)
        with suppress(OSError):  # the result is there
            fsync(target.parent)


def _replace_files(new: Path, target: Path, manifest: str) -> None:
    """Replace the files of a directory by those of another generation."""
    names = {file.name for file in new.iterdir()}
    generation, text = new_token(), (new / manifest).read_text(encoding="utf-8")
    for name in names - {manifest}:
        of_generation = f"{Path(name).stem}.{generation}{Path(name).suffix}"
        text = text.replace(f'"{name}"', f'"{of_generation}"')
        (new / name).rename(new / of_generation)
    (new / manifest).write_text(text, encoding="utf-8")
    companions = [file for file in new.iterdir() if file.name != manifest]
    with suppress(KeyError):
        del _published[target]
    _publish(new / manifest, target / manifest, companions, lambda name: plain_name(name) in names - {manifest})


def plain_name(name: str) -> str:
    """Return the name of a file without its generation.

    Examples
    --------
    >>> from gensim_wordrank._utils.atomic_files import plain_name
    >>> plain_name("data.npy"), plain_name("data.0123456789abcdef.npy")
    ('data.npy', 'data.npy')
    """
    return re.sub(rf"\.{TOKEN}(?=\.[^.]+$)", "", name)


def require_writable_directory(path: str | os.PathLike[str], names: Collection[str]) -> None:
    """Raise OSError if a directory with files of these names cannot be written to `path`."""
    target = _target_directory(path)
    with sibling_directory(target):
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
    there = {plain_name(file.name) for file in target.iterdir()} if target.is_dir() else set()
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
    except OSError as error:
        if error.filename is not None or _describe(source) in str(error):
            raise
        if error.errno is None:  # of gzip or bz2
            raise OSError(f"{_describe(source)} is damaged or cut off: {error}") from error
        raise type(error)(error.errno, f"Cannot read {_describe(source)}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise encoding_error(source, error) from error


def encoding_error(source: Any, error: UnicodeDecodeError) -> ValueError:
    """Return an error that names the file that is not UTF-8."""
    near = error.object[max(error.start - 10, 0) : error.end + 10]
    return ValueError(f"{_describe(source)} is not UTF-8 near {near!r}. Convert it to UTF-8.")


def _describe(source: Any) -> str:
    """Return the name of a source for error messages."""
    return f"'{os.fspath(source)}'" if isinstance(source, (str, os.PathLike)) else f"The text in {source!r}"


def fsync(*paths: Path) -> None:
    """Flush files and directories to disk, so that after a power failure no renamed file is empty."""
    for path in paths:
        system.fsync(path)


def target_file(target: Path) -> Path:
    """Follow a symbolic link to a file; raise OSError if a file cannot be written there."""
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{target}': it is a directory. Give the name of a file.")
    number = _file_descriptor(target)
    if number is not None:
        _check_writable(number, target)
    return target.resolve() if target.is_symlink() and not is_special_file(target) else target


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


def sibling_directory(target: Path) -> TemporaryDirectory:
    """Create a temporary directory next to `target`, on the same file system."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{target}': there is no directory '{target.parent}'. Create it first.")
    try:
        return TemporaryDirectory(target.parent, f".{target.name}.")
    except OSError as error:
        raise type(error)(error.errno, f"Cannot write into '{target.parent}': {error.strerror}") from error

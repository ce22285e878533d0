"""Directories of .npy and .json files with checksums, written and read without pickle.

Directories can also be read from a URL that smart_open supports. The manifest names the other files: a directory that
was replaced has files with the names of another generation (see `atomic_files`).
"""

from __future__ import annotations

import io
import json
import math
import os
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
import smart_open
from numpy.typing import NDArray

from gensim_wordrank._utils import atomic_files

MANIFEST = "manifest.json"  # holds the format, its version, and the checksums of the other files
OLD_MANIFEST = "about.json"  # its name in development versions
MAX_READS = 1000  # how often to begin again if a directory is replaced while it is read
MAX_MANIFEST = 1 << 20  # bytes
MAX_DIMENSIONS = 32


@dataclass(frozen=True)
class Format:
    """What a directory holds, and what to do if it is damaged."""

    name: str
    version: int
    remedy: str


def save(path: str | os.PathLike[str], file_format: Format, fill: Callable[[Path], Mapping[str, Any]]) -> None:
    """Write what `fill(directory)` returns to a directory atomically; `fill` may write arrays to files itself."""
    atomic_files.write_directory_atomically(
        path, lambda directory: write(directory, file_format, fill(directory)), MANIFEST
    )


def write(directory: Path, file_format: Format, contents: Mapping[str, Any]) -> None:
    """Write arrays as .npy, unless they are there already, other values as .json, and the manifest."""
    names = []
    for name, value in contents.items():
        is_array = isinstance(value, np.ndarray)
        names.append(f"{name}.npy" if is_array else f"{name}.json")
        path = directory / names[-1]
        if not is_array:
            path.write_text(json.dumps(value, default=to_python), encoding="ascii")
        elif not path.exists():
            np.save(path, np.ascontiguousarray(value), allow_pickle=False)
    manifest = {"format": f"gensim-wordrank {file_format.name}", "version": file_format.version}
    manifest["checksums"] = {name: file_checksum(directory / name) for name in names}
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="ascii")


def to_python(value: Any) -> Any:
    """Convert a NumPy scalar for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be saved.")


def is_url(path: str | os.PathLike[str]) -> bool:
    """Return True if a path is a URL."""
    return "://" in os.fspath(path)


def join_path(directory: str | os.PathLike[str], name: str) -> str:
    """Return the path of a file in a directory, which may be a URL."""
    return f"{os.fspath(directory).rstrip('/')}/{name}"


def read(
    directory: str | os.PathLike[str], file_format: Format, mmap: str | None = None, skip: Collection[str] = ()
) -> dict[str, Any]:
    """Return what :func:`write` was given, except the names in `skip`; raise ValueError if a file is damaged."""
    return read_with_checksums(directory, file_format, mmap, skip)[0]


def read_with_checksums(
    directory: str | os.PathLike[str], file_format: Format, mmap: str | None = None, skip: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return what :func:`read` returns, and the checksums of the files that it comes from."""
    checksums = read_checksums(directory, file_format)
    for _ in range(MAX_READS):
        names = {key(name): name for name in checksums}
        try:
            found = {
                each: _load(join_path(directory, name), checksums[name], file_format, mmap)
                for each, name in names.items()
                if each not in skip
            }
        except (OSError, ValueError):
            before, checksums = checksums, read_checksums(directory, file_format)
            if checksums == before:
                raise
        else:
            return found, checksums
    raise OSError(f"'{os.fspath(directory)}' is being replaced again and again. Try later.")


def key(name: str) -> str:
    """Return the name of the value that a file holds."""
    return Path(atomic_files.plain_name(name)).stem


def _load(path: str, expected: int, file_format: Format, mmap: str | None) -> Any:
    """Load a file and compare its checksum; files at a URL are first read into memory."""
    content = _read_bytes(path) if is_url(path) else None
    if content is None:
        intact = Path(path).is_file() and file_checksum(Path(path)) == expected
    else:
        intact = zlib.crc32(content) == expected
    if not intact:
        raise ValueError(f"'{path}' is missing or damaged. {file_format.remedy}")
    if path.endswith(".json"):
        return _parse(Path(path).read_bytes() if content is None else content, path, file_format)
    if content is None:
        return load_array(Path(path), mmap)
    file = io.BytesIO(content)
    dtype, shape = read_header(file, path, len(content))
    return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape).copy()


def _parse(content: bytes, path: str, file_format: Format) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"'{path}' is damaged. {file_format.remedy} ({error})") from error


def _read_bytes(path: str, most: int = -1) -> bytes:
    if not is_url(path):
        require_regular_file(path)
    with smart_open.open(path, "rb") as file:
        return bytes(file.read(most))


def read_checksums(directory: str | os.PathLike[str], file_format: Format) -> dict[str, int]:
    """Return the checksums of the files in a directory; raise an error if it is not of the given format."""
    name, path = os.fspath(directory), join_path(directory, MANIFEST)
    try:
        content = _read_bytes(path, MAX_MANIFEST)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        if Path(name, OLD_MANIFEST).is_file():
            raise ValueError(
                f"'{name}' was written by an older development version and cannot be read. {file_format.remedy}"
            ) from None
        raise FileNotFoundError(f"'{name}' holds no {file_format.name}: there is no '{MANIFEST}' in it.") from None
    try:
        manifest = _parse(content, path, file_format)
        found, version, checksums = manifest["format"], manifest["version"], dict(manifest["checksums"])
        are_plain = all(_is_plain_name(file) for file in checksums)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"'{path}' is damaged. {file_format.remedy}") from error
    if (found, version) != (f"gensim-wordrank {file_format.name}", file_format.version) or not are_plain:
        raise ValueError(
            f"'{name}' holds no {file_format.name} of version {file_format.version}. It may come from a newer "
            "gensim-wordrank, or from an older one."
        )
    return checksums


def _is_plain_name(name: str) -> bool:
    """Return True for the name of an array or a JSON file, which cannot lead out of the directory."""
    return Path(name).name == name and "\0" not in name and Path(name).suffix in (".npy", ".json")


def file_checksum(path: Path) -> int:
    """Return the CRC-32 of a file."""
    with path.open("rb") as file:
        return stream_checksum(file, path.stat().st_size)


def stream_checksum(file: IO[bytes], end: int, start: int = 0) -> int:
    """Return the CRC-32 of the bytes of an open file from `start` to `end`."""
    result = 0
    file.seek(start)
    while block := file.read(min(end - start, 1 << 20)):
        result, start = zlib.crc32(block, result), start + len(block)
    return result


def load_array(path: Path, mmap: Any) -> NDArray[Any]:
    """Load a .npy file, into memory or memory-mapped; an array without values cannot be mapped.

    The file must have the size that its header says, so a small file cannot make this process allocate much memory.
    """
    with path.open("rb") as file:
        dtype, shape = read_header(file, str(path), path.stat().st_size)
        if mmap and math.prod(shape):
            return np.memmap(path, dtype, mmap, file.tell(), shape)
        return np.fromfile(file, dtype).reshape(shape)


def read_header(file: IO[bytes], name: str, size: int | None = None) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Read the header of a .npy file; return the type and shape of the array.

    Raise ValueError that names the file if it holds no plain numbers, or is not as long as its header says.
    """
    try:
        version = np.lib.format.read_magic(file)
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except (ValueError, TypeError, SyntaxError, TokenError, OverflowError, RecursionError) as error:
        raise ValueError(f"'{name}' is damaged: {error}") from error
    is_plain = version == (1, 0) and not is_fortran and dtype.kind in "biuf" and dtype.subdtype is None
    if not (is_plain and len(shape) <= MAX_DIMENSIONS and min(shape, default=0) >= 0):
        raise ValueError(f"'{name}' is damaged: it must hold numbers in the order of C. Got {dtype} of shape {shape}.")
    expected = file.tell() + math.prod(shape) * dtype.itemsize if size is not None else None
    if expected != size:
        raise ValueError(f"'{name}' is damaged: it has {size} bytes, not {expected} as its header says.")
    return dtype, shape


def require_regular_file(path: str | os.PathLike[str]) -> None:
    """Raise ValueError if something is there that is no regular file: a device or a pipe can be read without end."""
    if Path(path).exists() and not Path(path).is_file():
        raise ValueError(f"'{os.fspath(path)}' is no regular file.")

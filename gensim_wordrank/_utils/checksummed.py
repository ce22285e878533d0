"""Directories of .npy and .json files with checksums, written and read without pickle.

Directories can also be read from a URL that smart_open supports. The manifest names the other files: a directory that
was replaced has files with the names of another generation (see `atomic_files`).
"""

from __future__ import annotations

import io
import json
import os
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import smart_open
from numpy.typing import NDArray

from gensim_wordrank._utils import atomic_files

MANIFEST = "manifest.json"  # holds the format, its version, and the checksums of the other files
OLD_MANIFEST = "about.json"  # its name in development versions
HEADER_BYTES = 128  # size of a .npy file with one dimension and no values
MAX_READS = 1000  # how often to begin again if a directory is replaced while it is read


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
        return json.loads(Path(path).read_text(encoding="ascii") if content is None else content)
    return load_array(Path(path), mmap) if content is None else np.load(io.BytesIO(content))


def _read_bytes(path: str) -> bytes:
    with smart_open.open(path, "rb") as file:
        return bytes(file.read())


def read_checksums(directory: str | os.PathLike[str], file_format: Format) -> dict[str, int]:
    """Return the checksums of the files in a directory; raise an error if it is not of the given format."""
    name, path = os.fspath(directory), join_path(directory, MANIFEST)
    try:
        content = _read_bytes(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        if Path(name, OLD_MANIFEST).is_file():
            raise ValueError(
                f"'{name}' was written by an older development version and cannot be read. {file_format.remedy}"
            ) from None
        raise FileNotFoundError(f"'{name}' holds no {file_format.name}: there is no '{MANIFEST}' in it.") from None
    try:
        manifest = json.loads(content)
        found, version, checksums = manifest["format"], manifest["version"], dict(manifest["checksums"])
        are_plain = all(Path(file).name == file and Path(file).suffix in (".npy", ".json") for file in checksums)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"'{path}' is damaged. {file_format.remedy}") from error
    if (found, version) != (f"gensim-wordrank {file_format.name}", file_format.version) or not are_plain:
        raise ValueError(
            f"'{name}' holds no {file_format.name} of version {file_format.version}. It may come from a newer "
            "gensim-wordrank, or from an older one."
        )
    return checksums


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
    """Load a .npy file, into memory or memory-mapped; an array without values cannot be mapped."""
    has_values = path.stat().st_size > HEADER_BYTES
    array: NDArray[Any] = np.load(path, mmap_mode=mmap if has_values else None)
    return array

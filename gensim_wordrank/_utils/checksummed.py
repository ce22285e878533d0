"""Arrays and plain values in a directory: .npy and .json files, without pickle, with a checksum each.

What is read may also be under an address, by whatever smart_open can do.
"""

from __future__ import annotations

import errno
import io
import json
import os
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import smart_open
from numpy.typing import NDArray

ABOUT = "about.json"
HEADER_BYTES = 128  # of a .npy file with one dimension


@dataclass(frozen=True)
class Kind:
    """What a directory holds, and what to do when it is damaged."""

    name: str
    version: int
    remedy: str


def write(directory: Path, kind: Kind, contents: Mapping[str, Any]) -> None:
    """Write arrays that are not yet in the directory, values, and a file with the checksums of all."""
    names = []
    for name, value in contents.items():
        is_array = isinstance(value, np.ndarray)
        names.append(f"{name}.npy" if is_array else f"{name}.json")
        path = directory / names[-1]
        try:
            if not is_array:
                path.write_text(json.dumps(value, default=_plain), encoding="ascii")
            elif not path.exists():
                np.save(path, np.ascontiguousarray(value), allow_pickle=False)
        except OSError as error:  # of a disk that is full, NumPy tells without its number
            raise OSError(error.errno or errno.ENOSPC, f"Cannot write {path.name}: {error}") from error
    about = {"format": f"gensim-wordrank {kind.name}", "version": kind.version}
    about["checksums"] = {name: checksum(directory / name) for name in names}
    (directory / ABOUT).write_text(json.dumps(about, indent=1), encoding="ascii")


def _plain(value: Any) -> Any:
    """Turn a number of NumPy's into one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be kept in a file.")


def is_address(place: str | os.PathLike[str]) -> bool:
    """Say whether a place is not in the file system."""
    return "://" in os.fspath(place)


def beside(place: str | os.PathLike[str], name: str) -> str:
    """Return where a file of a directory is, which may be an address."""
    return f"{os.fspath(place).rstrip('/')}/{name}"


def read(
    path: str | os.PathLike[str], kind: Kind, mmap: str | None = None, leave: Collection[str] = ()
) -> dict[str, Any]:
    """Return what :func:`write` was given; refuse a directory of another kind, and one that is not whole.

    What is called as in `leave` is not looked at.
    """
    found = {name: crc for name, crc in checksums(path, kind).items() if Path(name).stem not in leave}
    return {Path(name).stem: _load(beside(path, name), crc, kind, mmap) for name, crc in found.items()}


def _load(path: str, expected: int, kind: Kind, mmap: str | None) -> Any:
    """Load a file whose checksum is known."""
    content = _content(path) if is_address(path) else None
    if content is None:
        intact = Path(path).is_file() and checksum(Path(path)) == expected
    else:
        intact = zlib.crc32(content) == expected
    if not intact:
        raise ValueError(f"'{path}' is missing or damaged. {kind.remedy}")
    if path.endswith(".json"):
        return json.loads(Path(path).read_text(encoding="ascii") if content is None else content)
    return load_array(Path(path), mmap) if content is None else np.load(io.BytesIO(content))


def _content(path: str) -> bytes:
    with smart_open.open(path, "rb") as file:
        return bytes(file.read())


def checksums(directory: str | os.PathLike[str], kind: Kind) -> dict[str, int]:
    """Return the checksums of the files in a directory; refuse one of another kind."""
    path = beside(directory, ABOUT)
    try:
        content = _content(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise FileNotFoundError(
            f"'{os.fspath(directory)}' holds no {kind.name}: there is no '{ABOUT}' in it."
        ) from None
    try:
        about = json.loads(content)
        name, version, found = about["format"], about["version"], dict(about["checksums"])
        plain = all(Path(file).name == file and Path(file).suffix in (".npy", ".json") for file in found)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"'{path}' is damaged. {kind.remedy}") from error
    if (name, version) != (f"gensim-wordrank {kind.name}", kind.version) or not plain:
        raise ValueError(
            f"'{os.fspath(directory)}' holds no {kind.name} of version {kind.version}. It may come from a newer "
            "gensim-wordrank, or from an older one."
        )
    return found


def checksum(path: Path) -> int:
    """Return the CRC-32 of a file."""
    result = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            result = zlib.crc32(block, result)
    return result


def load_array(path: Path, mmap: Any) -> NDArray[Any]:
    """Load a .npy file, into memory or mapped; one without values cannot be mapped."""
    has_values = path.stat().st_size > HEADER_BYTES
    array: NDArray[Any] = np.load(path, mmap_mode=mmap if has_values else None)
    return array

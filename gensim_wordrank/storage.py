"""Arrays and plain values in a directory: .npy and .json files, without pickle, with a checksum each."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gensim_wordrank import arrays

ABOUT = "about.json"


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
        if not is_array:
            path.write_text(json.dumps(value, default=_plain), encoding="ascii")
        elif not path.exists():
            np.save(path, np.ascontiguousarray(value), allow_pickle=False)
    about = {"format": f"gensim-wordrank {kind.name}", "version": kind.version}
    about["checksums"] = {name: checksum(directory / name) for name in names}
    (directory / ABOUT).write_text(json.dumps(about, indent=1), encoding="ascii")


def _plain(value: Any) -> Any:
    """Turn a number of NumPy's into one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be kept in a file.")


def read(path: str | os.PathLike[str], kind: Kind, mmap: str | None = None) -> dict[str, Any]:
    """Return what :func:`write` was given; refuse a directory of another kind, and one that is not whole."""
    directory = Path(path)
    found = checksums(directory, kind)
    for name, expected in found.items():
        if not (directory / name).is_file() or checksum(directory / name) != expected:
            raise ValueError(f"'{directory / name}' is missing or damaged. {kind.remedy}")
    return {Path(name).stem: _load(directory / name, mmap) for name in found}


def _load(path: Path, mmap: str | None) -> Any:
    return arrays.load(path, mmap) if path.suffix == ".npy" else json.loads(path.read_text(encoding="ascii"))


def checksums(directory: Path, kind: Kind) -> dict[str, int]:
    """Return the checksums of the files in a directory; refuse one of another kind."""
    if not (directory / ABOUT).is_file():
        raise FileNotFoundError(f"'{directory}' holds no {kind.name}: there is no '{ABOUT}' in it.")
    try:
        about = json.loads((directory / ABOUT).read_text(encoding="ascii"))
        name, version, found = about["format"], about["version"], dict(about["checksums"])
        plain = all(Path(file).name == file and Path(file).suffix in (".npy", ".json") for file in found)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"'{directory / ABOUT}' is damaged. {kind.remedy}") from error
    if (name, version) != (f"gensim-wordrank {kind.name}", kind.version) or not plain:
        raise ValueError(
            f"'{directory}' holds no {kind.name} of version {kind.version}. It may come from a newer gensim-wordrank."
        )
    return found


def checksum(path: Path) -> int:
    """Return the CRC-32 of a file."""
    result = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            result = zlib.crc32(block, result)
    return result

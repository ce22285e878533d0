"""Co-occurrences in a directory: plain .npy and .json files, without pickle, with a checksum each."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import arrays

if TYPE_CHECKING:
    from gensim_wordrank.cooccurrence import Cooccurrence

ABOUT, WORDS = "about.json", "words.json"
FORMAT, VERSION = "gensim-wordrank co-occurrences", 1
DTYPES = {"data": np.float32, "indices": np.int32, "indptr": np.int64, "counts": np.int64}


def write(directory: Path, pairs: Cooccurrence) -> None:
    """Write the arrays that are not yet in the directory, the words, and a file with the checksums of all."""
    for name, dtype in DTYPES.items():
        if not (directory / f"{name}.npy").exists():
            np.save(directory / f"{name}.npy", np.ascontiguousarray(getattr(pairs, name), dtype))
    try:
        words = json.dumps([word if isinstance(word, str) else int(word) for word in pairs.words])
    except (TypeError, ValueError) as error:
        raise TypeError(f"Words must be texts or whole numbers to be saved: {error}") from error
    (directory / WORDS).write_text(words, encoding="ascii")
    names = [f"{name}.npy" for name in DTYPES] + [WORDS]
    about = {"format": FORMAT, "version": VERSION, "checksums": {name: _checksum(directory / name) for name in names}}
    (directory / ABOUT).write_text(json.dumps(about, indent=1), encoding="ascii")


def read(
    path: str | os.PathLike[str], mmap: str | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], list[Any], NDArray[Any]]:
    """Return data, indices, indptr, words and counts; refuse a directory that is not whole."""
    directory = Path(path)
    about = _about(directory)
    for name, checksum in about["checksums"].items():
        if not (directory / name).is_file() or _checksum(directory / name) != checksum:
            raise ValueError(f"'{directory / name}' is missing or damaged. Count the co-occurrences again.")
    found = {name: arrays.load(directory / f"{name}.npy", mmap) for name in DTYPES}
    words = json.loads((directory / WORDS).read_text(encoding="ascii"))
    _check(directory, found, words)
    return found["data"], found["indices"], found["indptr"], words, found["counts"]


def checksums(path: str | os.PathLike[str]) -> dict[str, int] | None:
    """Return the checksums that tell one directory of co-occurrences from others; None if it is no such directory."""
    try:
        found: dict[str, int] = _about(Path(path))["checksums"]
    except (OSError, ValueError):
        return None
    return found


def read_rows(path: str | os.PathLike[str], rows: NDArray[np.integer]) -> arrays.Csr:
    """Return the pairs of some words, without reading those of the others."""
    data, indices, indptr = (arrays.load(Path(path, f"{name}.npy"), "r") for name in ("data", "indices", "indptr"))
    return arrays.take_rows(arrays.Csr(data, indices, indptr), rows)


def _about(directory: Path) -> dict[str, Any]:
    if not (directory / ABOUT).is_file():
        raise FileNotFoundError(f"'{directory}' holds no co-occurrences: there is no '{ABOUT}' in it.")
    try:
        about: dict[str, Any] = json.loads((directory / ABOUT).read_text(encoding="ascii"))
        known = about["format"] == FORMAT and set(about["checksums"]) == {WORDS, *(f"{name}.npy" for name in DTYPES)}
        version = about["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"'{directory / ABOUT}' is damaged. Count the co-occurrences again.") from error
    if not known or version != VERSION:
        raise ValueError(
            f"'{directory}' holds no co-occurrences of version {VERSION}. It may come from a newer gensim-wordrank."
        )
    return about


def _check(directory: Path, found: dict[str, NDArray[Any]], words: list[Any]) -> None:
    """Refuse arrays that do not make a matrix, whatever their checksums say."""
    data, indices, indptr, counts = (found[name] for name in ("data", "indices", "indptr", "counts"))
    n = len(words)
    whole = (
        all(array.dtype == DTYPES[name] and array.ndim == 1 for name, array in found.items())
        and len(data) == len(indices)
        and len(indptr) == n + 1
        and len(counts) == n
        and indptr[0] == 0
        and indptr[-1] == len(data)
        and (np.diff(indptr) >= 0).all()
        and (not len(indices) or (indices.min() >= 0 and indices.max() < n))
    )
    if not whole:
        raise ValueError(f"The files in '{directory}' do not make a matrix. Count the co-occurrences again.")


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum

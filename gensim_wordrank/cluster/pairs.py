"""The pairs of a machine's words: read from a disk that all machines see, or cut out to be sent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import arrays, storage
from gensim_wordrank.cooccurrence import FILES, Cooccurrence


def place_of(counts: Cooccurrence) -> str | None:
    """Return the directory that co-occurrences were loaded from, if they still lie there."""
    if not isinstance(counts.data, np.memmap):
        return None
    directory = Path(str(counts.data.filename)).parent
    return None if checksums(str(directory)) is None else str(directory)


def checksums(directory: str) -> dict[str, int] | None:
    """Return what tells one directory of co-occurrences from others; None if it is no such directory."""
    try:
        return storage.checksums(Path(directory), FILES)
    except (OSError, ValueError):
        return None


def read(directory: str, rows: NDArray[np.integer], n_contexts: int) -> arrays.Csr:
    """Return the pairs of some words, without reading those of the others; refuse what is damaged."""
    data, indices, indptr = (arrays.load(Path(directory, f"{name}.npy"), "r") for name in ("data", "indices", "indptr"))
    found = arrays.take_rows(arrays.Csr(data, indices, indptr), rows)
    lengths = np.diff(found.indptr)
    if (lengths < 0).any() or not lengths.sum() == len(found.data) == len(found.indices):
        raise ValueError(f"The files in '{directory}' are damaged. {FILES.remedy}")
    arrays.check_entries(found.data, found.indices, n_contexts)
    return found


def cut_out(counts: Cooccurrence, rows: NDArray[np.integer]) -> arrays.Csr:
    """Return the pairs of some words."""
    return arrays.take_rows(arrays.Csr(counts.data, counts.indices, counts.indptr), rows)

"""Co-occurrences in a directory that machines reach, by a path or an address: each machine reads some of the rows."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import smart_open
from numpy.typing import NDArray

from gensim_wordrank._utils import checksummed
from gensim_wordrank._utils.checksummed import load_array
from gensim_wordrank.cooccurrence import csr
from gensim_wordrank.cooccurrence.matrix import FORMAT, Cooccurrence

# bytes that are read at a time
BLOCK = 1 << 22


def place_of(counts: Cooccurrence) -> str | None:
    """Return the directory that co-occurrences are mapped from, if they still lie there."""
    if counts.mapped_files is None:
        return None
    directory, known, mapped = counts.mapped_files
    held = counts.data, counts.indices, counts.indptr
    same = all(one is other for one, other in zip(held, mapped, strict=True))  # and not changed copies
    return directory if same and checksums(directory) == known else None


def checksums(place: str) -> dict[str, int] | None:
    """Return what tells one directory of co-occurrences from others; None if it is no such directory."""
    try:
        return checksummed.read_checksums(place, FORMAT)
    except (OSError, ValueError):
        return None


def read(place: str, first: int, last: int, n_contexts: int, checksums: Mapping[str, int]) -> csr.Csr:
    """Return the rows from `first` to `last`, without keeping the others; refuse what is damaged."""
    indptr = _part(place, "indptr", first, last + 1, checksums)
    start, end = int(indptr[0]), int(indptr[-1])
    data, indices = (_part(place, name, start, end, checksums) for name in ("data", "indices"))
    try:
        csr.validate_layout(data, indices, indptr - start)
        csr.validate_entries(data, indices, n_contexts)
    except ValueError as error:
        raise ValueError(f"The files in '{place}' are damaged. {FORMAT.remedy} ({error})") from error
    return csr.Csr(data, indices, indptr - start)


class _Summed:
    """A file that is read from its beginning, with the checksum of what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.checksum = file, 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        block = self.file.read(size)
        self.checksum = zlib.crc32(block, self.checksum)
        return block


def _part(place: str, name: str, start: int, end: int, checksums: Mapping[str, int]) -> NDArray[Any]:
    """Return the values from `start` to `end` of an array: mapped from a directory, or read from an address.

    What is here was looked at when it was loaded. From an address, the machine that reads the end has seen all.
    """
    path = checksummed.join_path(place, f"{name}.npy")
    if not checksummed.is_url(place):
        return load_array(Path(path), "r")[start:end]
    with smart_open.open(path, "rb") as opened:
        file: Any = _Summed(opened)
        np.lib.format.read_magic(file)
        _, _, dtype = np.lib.format.read_array_header_1_0(file)
        skipped, values = start * dtype.itemsize, bytearray()
        while skipped > 0 and (block := file.read(min(BLOCK, skipped))):  # not every server lets one jump
            skipped -= len(block)
        size = max(0, end - start) * dtype.itemsize
        while len(values) < size and (block := file.read(min(BLOCK, size - len(values)))):
            values += block
        if not file.read(1) and file.checksum != checksums.get(f"{name}.npy"):
            raise ValueError(f"'{path}' is damaged. {FORMAT.remedy}")
    return np.frombuffer(values, dtype, len(values) // dtype.itemsize)

"""Where the rows of a sparse matrix are stored while they are counted: in memory, or in .npy files that are mapped."""

from __future__ import annotations

import errno
import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils.atomic_files import Scratch
from gensim_wordrank._utils.checksummed import load_array
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank.cooccurrence.csr import PAIR_BYTES, Csr


class Store:
    """Room for the columns and values of a matrix, filled from several threads.

    Parameters
    ----------
    directory : Path, optional
        Where to write the files. Without it the arrays are in memory if they fit, else in a temporary directory.
    dtype : dtype
        Of the values.
    unit : int, optional
        What sums are divided by; without it they are kept as they are.
    """

    def __init__(self, directory: Path | None, dtype: Any, unit: int | None = None) -> None:
        self.directory, self.dtype, self.unit = directory, np.dtype(dtype), unit
        self.scratch: Scratch | None = None
        self.indices, self.data = np.empty(0, np.int32), np.empty(0, self.dtype)
        self.files: tuple[NpyFile, NpyFile] | None = None

    def reserve(self, nnz: int, room: int) -> None:
        """Make place for `nnz` pairs, in at most `room` bytes of memory."""
        if self.directory is None and nnz * PAIR_BYTES <= room:
            self.indices, self.data = np.empty(nnz, np.int32), np.empty(nnz, self.dtype)
            return
        if self.directory is None:
            self.scratch = Scratch()
            self.directory = self.scratch.path
        self.directory.mkdir(exist_ok=True)
        self.files = (
            NpyFile(self.directory / "indices.npy", np.dtype(np.int32), nnz),
            NpyFile(self.directory / "data.npy", self.dtype, nnz),
        )

    def columns(self, start: int, end: int) -> NDArray[np.int32]:
        """Return an array for the columns of the pairs from `start` to `end`."""
        return np.empty(end - start, np.int32) if self.files else self.indices[start:end]

    def put(self, start: int, columns: NDArray[np.int32], sums: NDArray[np.uint64]) -> None:
        """Keep the pairs from `start` on; `columns` is what :meth:`columns` gave."""
        if not self.files:
            self._divide(sums, self.data[start : start + len(sums)])
            return
        values = anonymous_array(len(sums), self.dtype)
        self._divide(sums, values)
        self.files[0].put(start, columns)
        self.files[1].put(start, values)

    def _divide(self, sums: NDArray[np.uint64], out: NDArray[Any]) -> None:
        """Write the values, in float64 a few at a time, as the malloc of a thread would keep the memory for all."""
        if self.unit is None:
            out[:] = sums
        else:
            np.divide(sums, self.unit, out=out, dtype=np.float64, casting="unsafe")

    def take(self, start: int, values: NDArray[Any], columns: NDArray[np.int32]) -> None:
        """Keep pairs that lie in arrays of their own."""
        place = self.columns(start, start + len(columns))
        place[:] = columns
        self.put(start, place, values)

    def finish(self, indptr: NDArray[np.int64]) -> Csr:
        """Return the matrix, mapped if it is on disk."""
        if self.files:
            self.indices, self.data = (file.map() for file in self.files)
        return Csr(self.data, self.indices, indptr, self.scratch)


class NpyFile:
    """An array in a .npy file that is written in any order."""

    def __init__(self, path: Path, dtype: np.dtype[Any], length: int) -> None:
        self.path, self.dtype = path, dtype
        self.file = path.open("wb")
        weakref.finalize(self, self.file.close)
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(self.file, header)
        self.file.flush()
        self.offset = self.file.tell()
        size = self.offset + length * dtype.itemsize
        try:
            # so that a full disk is known now, and not after hours
            os.posix_fallocate(self.file.fileno(), 0, size)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EFBIG):
                raise
            raise OSError(
                error.errno,
                f"{error.strerror}: {size / 1e9:.3g} GB are needed in '{path.parent}'. Make room there, choose another "
                "place with 'path' or TMPDIR, or give more 'memory'.",
            ) from error

    def put(self, start: int, values: NDArray[Any]) -> None:
        """Write values from the index `start` on."""
        left, at = np.ascontiguousarray(values).data.cast("B"), self.offset + start * self.dtype.itemsize
        while left:
            written = os.pwrite(self.file.fileno(), left, at)
            left, at = left[written:], at + written

    def map(self) -> NDArray[Any]:
        """Close the file and return it as a read-only array."""
        self.file.close()
        return load_array(self.path, "r")

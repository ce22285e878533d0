"""Arrays of a CSR matrix: validation, sums, selection of rows, and writing to memory or to .npy files."""

from __future__ import annotations

import errno
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import system, validation
from gensim_wordrank._utils.checksummed import load_array
from gensim_wordrank._utils.temporary import TemporaryDirectory
from gensim_wordrank.types import Floats, Vectors

DTYPES: dict[str, Any] = {"data": np.float32, "indices": np.int32, "indptr": np.int64}
PAIR_BYTES = 8  # one column and one value
SAMPLE_SIZE = 100_000  # counts that show how many pairs will be drawn per epoch
CHECK_SIZE = 1 << 18  # entries that are checked at a time, while they are in the cache
SUM_SIZE = 1 << 16  # entries that are summed at a time; their float64 copies stay small


@dataclass
class Csr:
    """Values and columns of all rows, and the offset of each row."""

    data: NDArray[Any]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    # the directory of `data` and `indices` if they are in temporary files; it is removed with this object
    scratch: TemporaryDirectory | None = None


@dataclass(frozen=True)
class CountSummary:
    """Sums and a sample of co-occurrence counts."""

    row_lengths: NDArray[np.int64]  # pairs per word
    word_sums: Floats
    context_sums: Floats
    sample: Vectors  # about SAMPLE_SIZE counts, evenly spread


def validate_layout(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any]) -> None:
    """Raise ValueError if the dtypes are wrong or `indptr` does not divide the entries into rows."""
    for array, (name, dtype) in zip((data, indices, indptr), DTYPES.items(), strict=True):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            kind = getattr(array, "dtype", type(array).__name__)
            raise validation.parameter_error(name, f"an array of {np.dtype(dtype)} with one dimension", kind)
    ends = (int(indptr[0]), int(indptr[-1])) if len(indptr) else None
    if not (ends == (0, len(data)) and len(data) == len(indices) and (indptr[:-1] <= indptr[1:]).all()):
        raise ValueError(
            f"'indptr' must rise from 0 to the length of 'data' and 'indices'. Got {ends}, {len(data)} and "
            f"{len(indices)} instead."
        )


def require_whole_files(*arrays: Any) -> None:
    """Raise OSError if the file of a memory-mapped array was cut: reading the array would end the process (SIGBUS).

    A file that is cut after this check, in the middle of an epoch, still does.
    """
    for array in arrays:
        pages = getattr(
            array, "_mmap", None
        )  # its size() is that of the file that is mapped, whatever has its name now
        if pages is not None and pages.size() < array.offset + array.nbytes:
            raise OSError(
                f"'{array.filename}' was cut while it is in use: it has {pages.size()} bytes, and "
                f"{array.offset + array.nbytes} are needed. Restore it, and start or resume the run again."
            )


def validate_entries(data: NDArray[np.float32], indices: NDArray[np.int32], n_columns: int) -> None:
    """Raise ValueError if a column is out of bounds, which kernels do not check, or a value is not a count.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence.csr import validate_entries
    >>> validate_entries(np.ones(2, np.float32), np.array([0, 3], np.int32), n_columns=3)
    Traceback (most recent call last):
    ...
    ValueError: 'indices' must be from 0 to 2, the last column. Got 3 instead.
    """
    for start in range(0, len(indices), CHECK_SIZE):
        columns, values = indices[start : start + CHECK_SIZE], data[start : start + CHECK_SIZE]
        for column in (columns.min(), columns.max()):
            if not 0 <= column < n_columns:
                raise validation.parameter_error("indices", f"from 0 to {n_columns - 1}, the last column", int(column))
        for value in (values.min(), values.max()):
            if not 0 <= value < np.inf:
                raise validation.parameter_error("data", "finite numbers, 0 or above", float(value))


def quantum(largest: float, n_rows: int) -> float:
    """Return a power of two such that sums of values rounded to its multiples are exact in any order.

    The sum of `n_rows` values up to `largest` is at most 2^53 quanta, the largest integer that float64 holds exactly.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.csr import quantum
    >>> quantum(100.0, n_rows=1000) == 2.0**-36
    True
    """
    return float(np.ldexp(1.0, int(np.frexp(largest * n_rows)[1]) - 53))


def entry_rows(indptr: NDArray[np.int64], start: int, stop: int) -> NDArray[np.int64]:
    """Return the row of each entry from `start` to `stop`."""
    first, last = int(np.searchsorted(indptr, start, "right")) - 1, int(np.searchsorted(indptr, stop, "left"))
    bounds = np.clip(indptr[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last), bounds[1:] - bounds[:-1])


def marginals(
    data: NDArray[np.float32], indices: NDArray[np.int32], indptr: NDArray[np.int64], n_columns: int, quantum: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum of each row and of each column, of values rounded to multiples of `quantum`."""
    rows, columns = np.zeros(len(indptr) - 1), np.zeros(n_columns)
    nonempty = np.flatnonzero(np.diff(indptr))  # for an empty row, reduceat would return the next row's first entry
    begins = indptr[nonempty]
    for start in range(0, len(data), SUM_SIZE):
        stop = min(start + SUM_SIZE, len(data))
        quanta = np.rint(data[start:stop] / np.float64(quantum))
        columns += np.bincount(indices[start:stop], weights=quanta, minlength=n_columns)
        first, last = np.searchsorted(begins, start, "right") - 1, np.searchsorted(begins, stop, "left")
        rows[nonempty[first:last]] += np.add.reduceat(quanta, np.maximum(begins[first:last] - start, 0))
    return rows * quantum, columns * quantum


def read_rows(csr: Csr, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return columns and values of the rows from `first` to `last`; read mapped arrays from their files."""

    def read(array: NDArray[Any]) -> NDArray[Any]:
        if not isinstance(array, np.memmap):
            return array[start:stop]
        # unlike access through the mapping, reading leaves no pages in this process
        offset = array.offset + start * array.itemsize
        return np.fromfile(str(array.filename), array.dtype, stop - start, offset=offset)

    start, stop = int(csr.indptr[first]), int(csr.indptr[last])
    return read(csr.indices), read(csr.data)


def take_rows(csr: Csr, rows: NDArray[np.integer]) -> Csr:
    """Return a copy of some rows, in the given order.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence.csr import Csr, take_rows
    >>> taken = take_rows(Csr(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), np.array([1, 0]))
    >>> taken.data.tolist(), taken.indptr.tolist()
    ([3.0, 1.0, 2.0], [0, 1, 3])
    """
    starts, ends = csr.indptr[rows], csr.indptr[rows + 1]
    slices = [slice(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    data, indices = (np.concatenate([array[part] for part in slices]) for array in (csr.data, csr.indices))
    return Csr(data, indices, np.concatenate([[0], np.cumsum(ends - starts)]))


class CsrWriter:
    """Arrays of a CSR matrix that several threads fill, in memory or in .npy files.

    Parameters
    ----------
    dtype : dtype
        Type of the values.
    unit : int, optional
        Divisor of the values; without it they are stored unchanged.
    directory : Path, optional
        Directory of the files. Without it, the arrays are in memory if they fit, else in a temporary directory.
    nnz : int
        Number of pairs.
    max_bytes : int
        Memory that the arrays may take.
    """

    def __init__(self, dtype: Any, unit: int | None, directory: Path | None, nnz: int, max_bytes: int) -> None:
        self.dtype, self.unit = np.dtype(dtype), unit
        self.files: tuple[NpyFile, NpyFile] | None = None
        self.scratch: TemporaryDirectory | None = None
        if directory is None and nnz * PAIR_BYTES <= max_bytes:
            self.indices, self.data = np.empty(nnz, np.int32), np.empty(nnz, self.dtype)
            return
        if directory is None:
            self.scratch = TemporaryDirectory()
            directory = self.scratch.path
        directory.mkdir(exist_ok=True)
        indices, data = directory / "indices.npy", directory / "data.npy"
        self.files = NpyFile(indices, np.dtype(np.int32), nnz), NpyFile(data, self.dtype, nnz)

    def write(self, start: int, columns: NDArray[np.int32], sums: NDArray[Any]) -> None:
        """Write pairs from the index `start` on."""
        pairs = slice(start, start + len(sums))
        values = np.empty(len(sums), self.dtype) if self.files else self.data[pairs]
        if self.unit is None:
            values[:] = sums
        else:
            quotients = sums.astype(np.float64)  # np.divide(sums, ...) would crash if its buffers cannot be allocated
            quotients /= self.unit
            values[:] = quotients
        if self.files:
            self.files[0].write(start, columns)
            self.files[1].write(start, values)
        else:
            self.indices[pairs] = columns

    def finish(self, indptr: NDArray[np.int64]) -> Csr:
        """Return the matrix; files are mapped."""
        if self.files:
            self.indices, self.data = (file.map() for file in self.files)
        return Csr(self.data, self.indices, indptr, self.scratch)


class NpyFile:
    """A .npy file with one dimension that can be written in any order."""

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
            system.allocate(self.file, size)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EFBIG):
                raise
            raise OSError(
                error.errno,
                f"{error.strerror}: {size / 1e9:.3g} GB are needed in '{path.parent}'. Free some space there, choose "
                "another directory with 'path' or TMPDIR, or allow more 'memory'.",
            ) from error

    def write(self, start: int, values: NDArray[Any]) -> None:
        """Write values from the index `start` on."""
        left, offset = np.ascontiguousarray(values).data.cast("B"), self.offset + start * self.dtype.itemsize
        while left:
            written = system.write_at(self.file, left, offset)
            left, offset = left[written:], offset + written

    def map(self) -> NDArray[Any]:
        """Close the file and return it as a read-only memory-mapped array."""
        self.file.close()
        return load_array(self.path, "r")

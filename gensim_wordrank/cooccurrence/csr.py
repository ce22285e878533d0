"""The arrays of a sparse matrix: in memory, or as .npy files that are written piece by piece and mapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import validation
from gensim_wordrank._utils.atomic_files import Scratch

DTYPES: dict[str, Any] = {"data": np.float32, "indices": np.int32, "indptr": np.int64}
PAIR_BYTES = 8  # a column and a value
HEADER_BYTES = 128  # of a .npy file with one dimension
PIECE = 1 << 18  # entries that are looked at while they are in the cache
SUMMED = 1 << 16  # entries that are added up at a time, in wider copies, which should stay small


@dataclass
class Csr:
    """Values and columns, row after row, and where each row begins."""

    data: NDArray[Any]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    # a temporary directory that holds the two; it lives as long as they do
    scratch: Scratch | None = None

    @property
    def nnz(self) -> int:
        """Number of pairs."""
        return len(self.data)


def check_rows(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any]) -> None:
    """Refuse arrays of other types, and rows that do not lie one behind the other."""
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


def check_entries(data: NDArray[np.float32], indices: NDArray[np.int32], n_columns: int) -> None:
    """Refuse columns outside the matrix, which would lead a kernel astray, and values that are no counts.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence.csr import check_entries
    >>> check_entries(np.ones(2, np.float32), np.array([0, 3], np.int32), n_columns=3)
    Traceback (most recent call last):
    ...
    ValueError: 'indices' must be from 0 to 2, the last column. Got 3 instead.
    """
    for start in range(0, len(indices), PIECE):  # so that of a mapped array only a piece is looked at
        columns, values = indices[start : start + PIECE], data[start : start + PIECE]
        for column in (columns.min(), columns.max()):
            if not 0 <= column < n_columns:
                raise validation.parameter_error("indices", f"from 0 to {n_columns - 1}, the last column", int(column))
        for value in (values.min(), values.max()):
            if not 0 <= value < np.inf:
                raise validation.parameter_error("data", "finite numbers, 0 or above", float(value))


def quantum(largest: float, n_rows: int) -> float:
    """Return the power of two in whose multiples the sums of a column are exact, whatever the order.

    A column of `n_rows` values up to `largest` is at most 2^53 grains, the whole numbers that float64 holds.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.csr import quantum
    >>> quantum(100.0, n_rows=1000) == 2.0**-36
    True
    """
    return float(np.ldexp(1.0, int(np.frexp(largest * n_rows)[1]) - 53))


def row_numbers(indptr: NDArray[np.int64], start: int, stop: int) -> NDArray[np.int64]:
    """Return in which row each of some entries stands."""
    first, last = int(np.searchsorted(indptr, start, "right")) - 1, int(np.searchsorted(indptr, stop, "left"))
    borders = np.clip(indptr[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last), borders[1:] - borders[:-1])


def sums(
    data: NDArray[np.float32], indices: NDArray[np.int32], indptr: NDArray[np.int64], n_columns: int, quantum: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum of each row and of each column, of values rounded to whole grains: they add up in any order."""
    rows, columns = np.zeros(len(indptr) - 1), np.zeros(n_columns)
    filled = np.flatnonzero(np.diff(indptr))  # of a row without entries, reduceat would return the next one's first
    begins = indptr[filled]
    for start in range(0, len(data), SUMMED):
        stop = min(start + SUMMED, len(data))
        grains = np.rint(data[start:stop] / np.float64(quantum))
        columns += np.bincount(indices[start:stop], weights=grains, minlength=n_columns)
        first, last = np.searchsorted(begins, start, "right") - 1, np.searchsorted(begins, stop, "left")
        rows[filled[first:last]] += np.add.reduceat(grains, np.maximum(begins[first:last] - start, 0))
    return rows * quantum, columns * quantum


def read_rows(csr: Csr, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return columns and values of some rows as arrays of their own, without mapping more than them."""
    piece = slice(int(csr.indptr[first]), int(csr.indptr[last]))
    return _read(csr.indices, piece), _read(csr.data, piece)


def _read(array: NDArray[Any], piece: slice) -> NDArray[Any]:
    if not isinstance(array, np.memmap):
        return array[piece]
    # reading leaves no pages in this process's memory, as a mapping would
    count, offset = piece.stop - piece.start, array.offset + piece.start * array.itemsize
    return np.fromfile(str(array.filename), array.dtype, count, offset=offset)


def take_rows(csr: Csr, rows: NDArray[np.integer]) -> Csr:
    """Return some rows, in the order asked for, as arrays of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence.csr import Csr, take_rows
    >>> taken = take_rows(Csr(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), np.array([1, 0]))
    >>> taken.data.tolist(), taken.indptr.tolist()
    ([3.0, 1.0, 2.0], [0, 1, 3])
    """
    starts, ends = csr.indptr[rows], csr.indptr[rows + 1]
    pieces = [slice(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    data, indices = (np.concatenate([array[piece] for piece in pieces]) for array in (csr.data, csr.indices))
    return Csr(data, indices, np.concatenate([[0], np.cumsum(ends - starts)]))

"""Convert SciPy sparse matrices and arrays to CSR, after checking what SciPy's compiled code trusts."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

# the largest number of columns: ids of contexts have 32 bits
MAX_COLUMNS = 2**31 - 1


def to_csr(matrix: Any, name: str = "matrix", dtype: Any = np.float32) -> Any:
    """Return a matrix of any format, or an array, as a CSR matrix; `name` is that of the parameter, for errors.

    SciPy does not check the indices of a matrix that exists, since anything may have changed them: converting a matrix
    with wrong ones reads or writes outside its arrays. Here they raise ValueError.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix
    >>> from gensim_wordrank.cooccurrence.sparse import to_csr
    >>> matrix = csc_matrix([[0, 1], [2, 0]])
    >>> matrix.indices[0] = 10**6
    >>> to_csr(matrix)
    Traceback (most recent call last):
    ...
    ValueError: 'matrix' is a damaged csc matrix: ...indices must be < 2
    """
    if issparse(matrix):
        try:
            matrix = _checked(matrix)
        except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"'{name}' is a damaged {matrix.format} matrix: {error}") from error
    try:
        if np.iscomplexobj(matrix):
            raise TypeError("its numbers are complex")
        if not issparse(matrix) and np.ndim(matrix) != 2:
            raise TypeError(f"it has {np.ndim(matrix)} dimensions, not 2")
        with np.errstate(over="ignore"):  # infinity is refused later
            result = csr_matrix(matrix, dtype=dtype)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"'{name}' must be a matrix of numbers: {error}") from error
    if result.shape[1] > MAX_COLUMNS:
        raise ValueError(f"'{name}' must have at most {MAX_COLUMNS} columns. Got {result.shape[1]} instead.")
    return result


def _checked(matrix: Any) -> Any:
    """Return a copy of a sparse matrix that shares its arrays, and whose indices are valid."""
    if matrix.format == "lil":
        lengths = [(len(columns), len(values)) for columns, values in zip(matrix.rows, matrix.data, strict=True)]
        if len(lengths) != matrix.shape[0] or any(n_columns != n_values for n_columns, n_values in lengths):
            raise ValueError("rows and data have different lengths")
    if hasattr(matrix, "check_format"):  # csr, csc and bsr
        matrix = copy(matrix)  # the check replaces arrays of another dtype
        for name in ("indptr", "indices"):
            if getattr(matrix, name).dtype.kind != "i":
                raise ValueError(f"{name} holds no integers")
        matrix.check_format(full_check=False)
        if (matrix.indptr[:-1] > matrix.indptr[1:]).any():  # SciPy checks nothing if the last one is negative
            raise ValueError("indptr must not decrease")
        matrix.check_format(full_check=True)
        return matrix
    if matrix.format == "dia":  # SciPy reads outside the data if an offset lies outside the matrix
        (n_rows, n_columns), offsets = matrix.shape, matrix.offsets
        if offsets.dtype.kind != "i" or len(offsets) != len(matrix.data):
            raise ValueError("offsets must hold one integer per diagonal")
        if len(offsets) and not -n_rows < offsets.min() <= offsets.max() < n_columns:
            raise ValueError(f"offsets must be from {1 - n_rows} to {n_columns - 1}")
    matrix = matrix.tocoo()
    if not len(matrix.row) == len(matrix.col) == len(matrix.data):
        raise ValueError("row, col and data have different lengths")
    for name, indices, size in zip(("row", "col"), (matrix.row, matrix.col), matrix.shape, strict=True):
        if indices.dtype.kind != "i":
            raise ValueError(f"{name} holds no integers")
        if len(indices) and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f"{name} must be from 0 to {size - 1}")
    return matrix

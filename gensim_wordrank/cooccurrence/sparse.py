"""Convert SciPy sparse matrices and arrays to CSR, after checking what SciPy's compiled code trusts."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse


def to_csr(matrix: Any) -> Any:
    """Return a matrix of any format, or an array, as a CSR matrix of float32.

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
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"'matrix' is a damaged {matrix.format} matrix: {error}") from error
    try:
        if np.iscomplexobj(matrix):
            raise TypeError("its numbers are complex")
        return csr_matrix(matrix, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"'matrix' must be a matrix of numbers: {error}") from error


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
    matrix = matrix.tocoo()
    if not len(matrix.row) == len(matrix.col) == len(matrix.data):
        raise ValueError("row, col and data have different lengths")
    for name, indices, size in zip(("row", "col"), (matrix.row, matrix.col), matrix.shape, strict=True):
        if indices.dtype.kind != "i":
            raise ValueError(f"{name} holds no integers")
        if len(indices) and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f"{name} must be from 0 to {size - 1}")
    return matrix

"""The basis in which word vectors are compared: no direction counts more only because frequent words differ there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank.ranks import Vectors

# of the mean variance of a direction: what is added to each, so that those with little are not blown up
RIDGE = 2.0
# rows that are looked at together
BLOCK = 4096


def whitening(vectors: Vectors, frequencies: ArrayLike) -> NDArray[np.float64]:
    """Return the symmetric matrix A for which u A is the vector of a word for use.

    ``A = (F + 2 tr(F) / k)^(-1/2)``, scaled to determinant 1, where F is the mean of u u' over the words of the text.

    Scores <u, v> do not tell in which basis vectors are to be compared: u A and v / A have the same. As trained,
    cosines are ruled by the few directions in which the most frequent words differ.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.whitening import whitening
    >>> whitening(np.array([[2.0, 0.0], [0.0, 1.0]], np.float32), [30, 10]).round(3)
    array([[0.865, 0.   ],
           [0.   , 1.156]])
    """
    weights = np.asarray(frequencies, np.float64)
    size = vectors.shape[1]
    moments = np.zeros((size, size))
    with threadpool_limits(limits=1, user_api="blas"):  # or sums could depend on the number of cores
        for start in range(0, len(vectors), BLOCK):
            block = vectors[start : start + BLOCK].astype(np.float64)
            moments += (block * weights[start : start + BLOCK, None]).T @ block
        variances, directions = np.linalg.eigh(moments)
        mean = np.trace(moments) / size
        if not mean > 0:  # no vector, or no frequency
            return np.eye(size)
        logs = -0.5 * np.log(np.maximum(variances, 0) / mean + RIDGE)
        result: NDArray[np.float64] = (directions * np.exp(logs - logs.mean())) @ directions.T
    return result


def in_basis(vectors: Vectors, basis: NDArray[Any]) -> Vectors:
    """Return the vectors times a matrix, as float32.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.whitening import in_basis
    >>> in_basis(np.ones((1, 2), np.float32), np.array([[1.0, 0.0], [1.0, 3.0]]))
    array([[2., 3.]], dtype=float32)
    """
    result = np.empty_like(vectors)
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, len(vectors), BLOCK):
            result[start : start + BLOCK] = vectors[start : start + BLOCK].astype(np.float64) @ basis
    return result

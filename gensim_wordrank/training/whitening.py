"""The basis of the finished vectors: scores <u, v> do not depend on it, but cosines and sums do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.types import Vectors

Matrix = NDArray[np.float64]

# rows that are converted to float64 at a time
ROWS_PER_BLOCK = 4096


def usable_basis(
    words: Vectors, contexts: Vectors, frequencies: ArrayLike, settings: Settings = SETTINGS
) -> tuple[Matrix, Matrix]:
    """Return a symmetric matrix A and its inverse: u A and v A^-1 are the vectors to use.

    They have the same scores as u and v, and depend on these scores alone, not on the basis in which training ended:
    for vectors that are in use already, A is 1. The steps:

    (a) Find the basis in which u and v have the same second moments, weighted by the square roots of the frequencies.
    (b) In directions where u and v of a word oppose each other (eigenvectors of U'V + V'U with negative eigenvalues),
        make v longer and u shorter by 1 + sqrt(2). In these directions words of one kind have contexts of another, as
        verbs have pronouns and nouns have adjectives, and u + v would cancel.
    (c) In all other directions whiten u by the frequencies: u (F / m + 3)^(-1/2), where F is the mean of u u' over the
        words of the text and m its mean variance. Otherwise the few directions in which the most frequent words differ
        would dominate the cosines. Then give u and v equal lengths there.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.whitening import usable_basis
    >>> u = np.array([[3.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 2.0]], np.float32)
    >>> v = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 3.0]], np.float32)
    >>> basis, inverse = usable_basis(u, v, [4, 2, 1])
    >>> np.allclose((u @ basis) @ (v @ inverse).T, u @ v.T)
    True
    >>> np.allclose(usable_basis(u @ basis, v @ inverse, [4, 2, 1]), np.eye(3), atol=0.01)
    True
    """
    weights = np.asarray(frequencies, np.float64)
    roots = np.sqrt(weights)
    with threadpool_limits(limits=1, user_api="blas"):  # with more, sums could depend on the number of cores
        of_words, of_contexts = _moments(words, words, roots), _moments(contexts, contexts, roots)
        if not (of_words.any() and of_contexts.any()):  # no vector, or no frequency
            return np.eye(words.shape[1]), np.eye(words.shape[1])
        # (a) where E^(1/2) G^(1/2) = P S Q', B = E^(-1/2) P S^(1/2) makes both moments S: B'E B and B^-1 G B'^-1
        root = _root(_floored(of_words, settings))
        left, alike, _ = np.linalg.svd(root @ _root(_floored(of_contexts, settings)))
        balance, back = np.linalg.solve(root, left) * np.sqrt(alike), root @ left / np.sqrt(alike)
        # (b)
        together = balance.T @ _moments(words, contexts, np.ones(len(words))) @ back
        values, directions = np.linalg.eigh(together + together.T)
        opposed, others = directions[:, values < 0], directions[:, values >= 0]
        stretch = opposed @ opposed.T / settings.opposed_stretch
        # (c)
        if others.size:
            in_others = balance @ others
            variances, axes = np.linalg.eigh(
                in_others.T @ _floored(_moments(words, words, weights), settings) @ in_others
            )
            lengths = (np.maximum(variances, 0) / variances.mean() + settings.whitening_ridge) ** -0.5
            along = others @ axes
            variance = alike @ along**2
            lengths *= (variance @ lengths**-2 / (variance @ lengths**2)) ** 0.25
            stretch += along * lengths @ along.T
        # of all bases with these lengths and cosines, the one without rotation: vectors stay comparable
        axes, lengths, _ = np.linalg.svd(balance @ stretch)
        return axes * lengths @ axes.T, axes / lengths @ axes.T


def change_basis(vectors: Vectors, basis: NDArray[Any]) -> Vectors:
    """Return the vectors multiplied by a matrix, as float32.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.whitening import change_basis
    >>> change_basis(np.ones((1, 2), np.float32), np.array([[1.0, 0.0], [1.0, 3.0]]))
    array([[2., 3.]], dtype=float32)
    """
    result = np.empty_like(vectors)
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, len(vectors), ROWS_PER_BLOCK):
            result[start : start + ROWS_PER_BLOCK] = vectors[start : start + ROWS_PER_BLOCK].astype(np.float64) @ basis
    return result


def _moments(left: Vectors, right: Vectors, weights: Matrix) -> Matrix:
    """Return the sum of weight * x y' over the rows x and y of two matrices."""
    result = np.zeros((left.shape[1], right.shape[1]))
    for start in range(0, len(left), ROWS_PER_BLOCK):
        rows = slice(start, start + ROWS_PER_BLOCK)
        result += (left[rows].astype(np.float64) * weights[rows, None]).T @ right[rows]
    return result


def _floored(moments: Matrix, settings: Settings) -> Matrix:
    """Give every direction at least a tiny share of the mean variance."""
    result: Matrix = moments + settings.min_variance * np.trace(moments) / len(moments) * np.eye(len(moments))
    return result


def _root(matrix: Matrix) -> Matrix:
    """Return the square root of a symmetric, positive definite matrix."""
    values, directions = np.linalg.eigh(matrix)
    result: Matrix = directions * np.sqrt(values) @ directions.T
    return result

"""The basis of the vectors: scores <u, v> leave it free, cosines and sums do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank.types import Vectors

Matrix = NDArray[np.float64]

# of the mean variance of a direction: what is added to each, so that those with little are not blown up
RIDGE = 3.0
# where u and v oppose each other, v is made so many times as long, and u as many times as short: the sum of u = 1 and
# v = -1 is then -2, as long as that of two that agree
STRETCH = 1 + math.sqrt(2)
# of the mean variance of a direction: what no direction has less of, for vocabularies that do not fill all of them
LEAST = 1e-6
# rows that are looked at together
BLOCK = 4096


def choose(words: Vectors, contexts: Vectors, frequencies: ArrayLike) -> tuple[Matrix, Matrix]:
    """Return the symmetric matrix A, and its inverse, for which u A and v A^-1 are the vectors for use.

    They have the same scores as u and v, and follow from these scores, not from the basis that training ended in: for
    vectors for use, A is 1. How it is found:

    (a) u and v are brought into the basis in which they vary alike, weighted by the roots of the frequencies.
    (b) Where u and v of a word oppose each other, in the eigenvectors of U'V + V'U that have negative values, v is
        made 1 + sqrt(2) times as long and u as many times as short. There words of one kind have contexts of another,
        as verbs have pronouns and nouns have adjectives, and u + v would be next to nothing.
    (c) In the other directions u is whitened by the frequencies: u (F / m + 3)^(-1/2), where F is the mean of u u' over
        the words of the text and m its mean variance. Else cosines would be ruled by the few directions in which the
        most frequent words differ. Of both, u and v are then made equally long there.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.whitening import choose
    >>> u = np.array([[3.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 2.0]], np.float32)
    >>> v = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 3.0]], np.float32)
    >>> basis, inverse = choose(u, v, [4, 2, 1])
    >>> np.allclose((u @ basis) @ (v @ inverse).T, u @ v.T)
    True
    >>> np.allclose(choose(u @ basis, v @ inverse, [4, 2, 1]), np.eye(3), atol=0.01)
    True
    """
    weights = np.asarray(frequencies, np.float64)
    roots = np.sqrt(weights)
    with threadpool_limits(limits=1, user_api="blas"):  # or sums could depend on the number of cores
        of_words, of_contexts = _moments(words, words, roots), _moments(contexts, contexts, roots)
        if not (of_words.any() and of_contexts.any()):  # no vector, or no frequency
            return np.eye(words.shape[1]), np.eye(words.shape[1])
        # (a) where E^(1/2) G^(1/2) = P S Q', B = E^(-1/2) P S^(1/2) makes both moments S: B'E B and B^-1 G B'^-1
        root = _root(_floored(of_words))
        left, alike, _ = np.linalg.svd(root @ _root(_floored(of_contexts)))
        balance, back = np.linalg.solve(root, left) * np.sqrt(alike), root @ left / np.sqrt(alike)
        # (b)
        together = balance.T @ _moments(words, contexts, np.ones(len(words))) @ back
        values, directions = np.linalg.eigh(together + together.T)
        opposed, others = directions[:, values < 0], directions[:, values >= 0]
        stretch = opposed @ opposed.T / STRETCH
        # (c)
        if others.size:
            in_others = balance @ others
            variances, axes = np.linalg.eigh(in_others.T @ _floored(_moments(words, words, weights)) @ in_others)
            lengths = (np.maximum(variances, 0) / variances.mean() + RIDGE) ** -0.5
            along = others @ axes
            variance = alike @ along**2
            lengths *= (variance @ lengths**-2 / (variance @ lengths**2)) ** 0.25
            stretch += along * lengths @ along.T
        # of all matrices with these lengths and cosines, the one that turns nothing: vectors stay comparable
        axes, lengths, _ = np.linalg.svd(balance @ stretch)
        return axes * lengths @ axes.T, axes / lengths @ axes.T


def in_basis(vectors: Vectors, basis: NDArray[Any]) -> Vectors:
    """Return the vectors times a matrix, as float32.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.whitening import in_basis
    >>> in_basis(np.ones((1, 2), np.float32), np.array([[1.0, 0.0], [1.0, 3.0]]))
    array([[2., 3.]], dtype=float32)
    """
    result = np.empty_like(vectors)
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, len(vectors), BLOCK):
            result[start : start + BLOCK] = vectors[start : start + BLOCK].astype(np.float64) @ basis
    return result


def _moments(left: Vectors, right: Vectors, weights: Matrix) -> Matrix:
    """Return the sum of weight * x y' over the rows x and y of two matrices."""
    result = np.zeros((left.shape[1], right.shape[1]))
    for start in range(0, len(left), BLOCK):
        rows = slice(start, start + BLOCK)
        result += (left[rows].astype(np.float64) * weights[rows, None]).T @ right[rows]
    return result


def _floored(moments: Matrix) -> Matrix:
    """Let no direction vary much less than the mean of all."""
    result: Matrix = moments + LEAST * np.trace(moments) / len(moments) * np.eye(len(moments))
    return result


def _root(matrix: Matrix) -> Matrix:
    """Return the root of a symmetric, positive definite matrix."""
    values, directions = np.linalg.eigh(matrix)
    result: Matrix = directions * np.sqrt(values) @ directions.T
    return result

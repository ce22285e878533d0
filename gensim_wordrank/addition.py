"""u + v, in a basis in which the two do not cancel each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank.ranks import Vectors
from gensim_wordrank.whitening import BLOCK, in_basis

# where u and v oppose each other, v is made so many times as long, and u as many times as short: the sum of u = 1 and
# v = -1 is then -2, as long as that of two that agree
STRETCH = 1 + math.sqrt(2)


def add(words: Vectors, contexts: Vectors) -> Vectors:
    """Return ``u A + v / A`` of every word, where A is 1 / (1 + sqrt(2)) in opposed directions and 1 in all others.

    Scores <u, v> do not tell in which basis vectors are to be added: u A and v / A have the same. As trained, u and v
    of a word point the same way in most directions, and opposite ways in a few: in those along which words of one kind
    have contexts of another, as verbs have pronouns and nouns have adjectives. There u + v would be next to nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.addition import add
    >>> u, v = np.array([[3.0, 1.0], [0.0, 2.0]], np.float32), np.array([[1.0, -1.0], [1.0, -2.0]], np.float32)
    >>> (u + v).tolist()
    [[4.0, 0.0], [1.0, 0.0]]
    >>> add(u, v).round(3).tolist()
    [[4.0, -2.0], [1.0, -4.0]]
    """
    directions = opposed(words, contexts)
    one, along = np.eye(len(directions)), directions @ directions.T
    return in_basis(words, one + (1 / STRETCH - 1) * along) + in_basis(contexts, one + (STRETCH - 1) * along)


def opposed(words: Vectors, contexts: Vectors) -> NDArray[np.float64]:
    """Return the opposed directions as columns of length 1: those eigenvectors of U'V + V'U that have negative values.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.addition import opposed
    >>> np.abs(opposed(np.eye(2, dtype=np.float32), np.diag([1.0, -1.0])))
    array([[0.],
           [1.]])
    """
    size = words.shape[1]
    products = np.zeros((size, size))
    with threadpool_limits(limits=1, user_api="blas"):  # or sums could depend on the number of cores
        for start in range(0, len(words), BLOCK):
            rows = slice(start, start + BLOCK)
            products += words[rows].astype(np.float64).T @ contexts[rows]
        values, directions = np.linalg.eigh(products + products.T)
    result: NDArray[np.float64] = directions[:, values < 0]
    return result

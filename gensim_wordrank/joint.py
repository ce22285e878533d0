"""One vector of a word for both of its vectors: u and v side by side, as well as k coordinates can hold them."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from gensim_wordrank.ranks import Vectors
from gensim_wordrank.whitening import BLOCK


def joint(words: Vectors, contexts: Vectors) -> Vectors:
    """Return the k strongest directions of ``(u / |u|, v / |v|)``, where k is the size of u and of v.

    The cosine of two words is then, as nearly as k coordinates allow, the mean of the cosine of their u and that of
    their v. In u + v it has <u, v'> and <v, u'> in it too, which say how well the two words stand together, not how
    alike they are.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.joint import joint
    >>> u, v = np.array([[3.0, 0.0], [2.0, 0.0]], np.float32), np.array([[0.0, 1.0], [1.0, 0.0]], np.float32)
    >>> one, other = joint(u, v)  # cosines 1 and 0
    >>> round(float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)), 3)
    0.5
    """
    n, size = words.shape
    moments = np.zeros((2 * size, 2 * size))
    result = np.empty((n, size), np.float32)
    starts = range(0, n, BLOCK)

    def both(start: int) -> Vectors:
        rows = slice(start, start + BLOCK)
        return np.hstack([unit(words[rows].astype(np.float64)), unit(contexts[rows].astype(np.float64))])

    with threadpool_limits(limits=1, user_api="blas"):  # or sums could depend on the number of cores
        for start in starts:
            block = both(start)
            moments += block.T @ block
        _, directions = np.linalg.eigh(moments)  # the weakest first
        for start in starts:
            result[start : start + BLOCK] = both(start) @ directions[:, : size - 1 : -1]
    return result


def unit(vectors: Vectors, axis: int = 1) -> Vectors:
    """Scale rows, or columns with ``axis=0``, to length 1; those of zeros stay.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.joint import unit
    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=axis, keepdims=True)
    result: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return result

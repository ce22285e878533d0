"""Regression of word vectors on n-grams: ridge regression with a prior variance per n-gram."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from gensim_wordrank._utils.system import trim_heap
from gensim_wordrank._utils.threads import parallel_map
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.types import Vectors

# columns that are solved together: a fixed number, so that results do not depend on the threads
COLUMNS = 4


def regress(
    ngrams: Any,
    weights: Vectors,
    vectors: Vectors,
    mean: Vectors,
    use: Callable[[slice, Vectors], None],
    workers: int = 1,
    settings: Settings = SETTINGS,
) -> None:
    """Find one row per n-gram, such that the sum of a word's rows predicts its vector, less the mean vector.

    Minimizes ``sum_w weight_w |vector_w - mean - sum_g row_g|^2 + penalty sum_g |row_g|^2 / variance_g``.

    Parameters
    ----------
    ngrams : CSR matrix
        How often each word has each n-gram.
    weights : array of float32
        How much each word counts; 0 leaves it out.
    vectors : array of float32
        The vectors of the words. `use` may change the columns that it is called for.
    mean : array of float32
        Their weighted mean.
    use : function
        Called once for each group of columns, with their slice and these columns of the rows; all rows at once would
        take as much memory as the vectors and more.
    workers : int
        Number of threads; the result does not depend on it.
    """
    roots, scales = np.sqrt(weights), np.sqrt(prior_variances(ngrams, weights, vectors, mean))
    trim_heap()  # lowers the peak by 35 of 770 MB for 68,000 words
    design = scale_rows(ngrams, roots)
    design.data *= scales[design.indices]
    diagonal = column_sums(design, design.data**2) + np.float32(settings.ngram_penalty)

    def solve_columns(first: int) -> None:
        part = slice(first, first + COLUMNS)
        target = roots[:, None] * (vectors[:, part] - mean[part])
        rows = solve(design, diagonal, target, settings)
        rows *= scales[:, None]
        use(part, rows)
        trim_heap()  # threads keep what they free: lowers the peak by 37 of 770 MB for 68,000 words

    for _ in parallel_map(solve_columns, [(first,) for first in range(0, vectors.shape[1], COLUMNS)], workers):
        pass


def prior_variances(ngrams: Any, weights: Vectors, vectors: Vectors, mean: Vectors) -> Vectors:
    """Return the variance of each n-gram's row: the weighted mean inner product of two different words that have it.

    No word is paired with itself, so noise does not count as signal. An n-gram whose words have nothing in common has
    variance 0, and its row will be 0.
    """
    weighted, lengths = scale_rows(ngrams, weights), np.zeros(len(vectors), np.float32)
    of_pairs = np.zeros(ngrams.shape[1], np.float32)
    for first in range(0, vectors.shape[1], COLUMNS):
        centred = vectors[:, first : first + COLUMNS] - mean[first : first + COLUMNS]
        lengths += np.einsum("ij,ij->i", centred, centred)
        sums = weighted.T @ centred
        of_pairs += np.einsum("ij,ij->i", sums, sums)
    n_pairs = column_sums(weighted, weighted.data) ** 2
    alone = column_sums(weighted, weighted.data**2)
    n_pairs -= alone
    of_pairs -= column_sums(weighted, weighted.data**2 * np.repeat(lengths, np.diff(weighted.indptr)))
    variances = np.where(n_pairs > 0.01 * alone, of_pairs / np.maximum(n_pairs, np.float32(1e-9)), 0)
    return np.maximum(variances, 0).astype(np.float32)


def solve(design: Any, diagonal: Vectors, target: Vectors, settings: Settings) -> Vectors:
    """Solve (A'A + penalty) B = A'Y approximately, by conjugate gradients with a diagonal preconditioner."""
    inverse = 1 / diagonal[:, None]
    residual: Vectors = design.T @ target
    solution = np.zeros_like(residual)
    direction = inverse * residual
    size = np.einsum("ij,ij->j", residual, direction)
    for _ in range(settings.regression_steps):
        image = design.T @ (design @ direction)
        image += np.float32(settings.ngram_penalty) * direction
        step = size / np.maximum(np.einsum("ij,ij->j", direction, image), np.float32(1e-30))
        solution += step * direction
        image *= step
        residual -= image
        np.multiply(inverse, residual, out=image)
        previous, size = size, np.einsum("ij,ij->j", residual, image)
        direction *= size / np.maximum(previous, np.float32(1e-30))
        direction += image
    return solution


def scale_rows(matrix: Any, factors: Vectors) -> Any:
    """Multiply each row of a CSR matrix by a factor."""
    data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return csr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def column_sums(matrix: Any, data: Vectors) -> Vectors:
    """Return the sum of `data`, one value per entry of a CSR matrix, over each column."""
    return np.bincount(matrix.indices, weights=data, minlength=matrix.shape[1]).astype(np.float32)

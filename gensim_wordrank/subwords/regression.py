"""Regression of word vectors on n-grams: ridge regression with a prior variance per n-gram."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from gensim_wordrank._utils.threads import parallel_map
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.types import Vectors

# columns that are solved together: a fixed number, so that results do not depend on the threads
COLUMNS = 10


def regress(
    ngrams: Any, weights: Vectors, vectors: Vectors, workers: int = 1, settings: Settings = SETTINGS
) -> Vectors:
    """Return one row per n-gram: the sum of a word's rows predicts its vector.

    Minimizes ``sum_w weight_w |vector_w - sum_g row_g|^2 + penalty sum_g |row_g|^2 / variance_g``.

    Parameters
    ----------
    ngrams : CSR matrix
        How often each word has each n-gram.
    weights : array of float32
        How much each word counts; 0 leaves it out.
    vectors : array of float32
        Centred vectors of the words.
    workers : int
        Number of threads; the result does not depend on it.
    """
    roots, scales = np.sqrt(weights), np.sqrt(prior_variances(ngrams, weights, vectors))
    design = scale_rows(ngrams, roots)
    design.data *= scales[design.indices]
    design.eliminate_zeros()
    transposed = design.T.tocsr()
    diagonal = row_sums(transposed, transposed.data**2) + np.float32(settings.ngram_penalty)
    rows = np.empty((ngrams.shape[1], vectors.shape[1]), np.float32)

    def solve_columns(first: int) -> None:
        part = slice(first, first + COLUMNS)
        solution = solve(design, transposed, diagonal, roots[:, None] * vectors[:, part], settings)
        np.multiply(scales[:, None], solution, out=rows[:, part])

    for _ in parallel_map(solve_columns, [(first,) for first in range(0, vectors.shape[1], COLUMNS)], workers):
        pass
    return rows


def prior_variances(ngrams: Any, weights: Vectors, vectors: Vectors) -> Vectors:
    """Return the variance of each n-gram's row: the weighted mean inner product of two different words that have it.

    No word is paired with itself, so noise does not count as signal. An n-gram whose words have nothing in common has
    variance 0, and its row will be 0.
    """
    transposed = scale_rows(ngrams, weights).T.tocsr()
    squares = transposed.data**2
    of_pairs = -row_sums(transposed, squares * np.einsum("ij,ij->i", vectors, vectors)[transposed.indices])
    for first in range(0, vectors.shape[1], COLUMNS):
        sums = transposed @ np.ascontiguousarray(vectors[:, first : first + COLUMNS])
        of_pairs += np.einsum("ij,ij->i", sums, sums)
    alone = row_sums(transposed, squares)
    n_pairs = row_sums(transposed, transposed.data) ** 2 - alone
    mean = np.where(n_pairs > 0.01 * alone, of_pairs / np.maximum(n_pairs, np.float32(1e-9)), 0)
    return np.maximum(mean, 0).astype(np.float32)


def solve(design: Any, transposed: Any, diagonal: Vectors, target: Vectors, settings: Settings) -> Vectors:
    """Solve (A'A + penalty) B = A'Y approximately, by conjugate gradients with a diagonal preconditioner."""
    inverse = 1 / diagonal[:, None]
    residual: Vectors = transposed @ target
    solution = np.zeros_like(residual)
    direction = inverse * residual
    size = np.einsum("ij,ij->j", residual, direction)
    for _ in range(settings.regression_steps):
        image = transposed @ (design @ direction)
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
    return csr_matrix((data, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)


def row_sums(matrix: Any, data: Vectors) -> Vectors:
    """Return the sum of `data`, one value per entry of a CSR matrix, over each row."""
    sums = csr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape).sum(axis=1)
    return np.asarray(sums, np.float32).ravel()

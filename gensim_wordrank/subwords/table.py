"""What n-grams say about words: the vectors of unknown words, and better ones for rare words and for analogies."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from gensim_wordrank._utils.system import trim_heap
from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.subwords.ngrams import Hashes, ngram_matrix, shared_ngrams
from gensim_wordrank.subwords.regression import regress
from gensim_wordrank.types import Vectors

logger = logging.getLogger(__name__)

Counts = NDArray[np.integer]

# one word in this many is held out to see how well n-grams predict
HELD_OUT = 10
# with fewer held-out words, or if the predictions could be right by chance (a t-value), words keep their own vectors
MIN_HELD_OUT, MIN_T = 50, 3.0
# counts at which a vector may be half noise, and powers of the count with which noise may fall
NOISE_LEVELS, POWERS = np.geomspace(1, 1000, 31), np.linspace(0.5, 1.2, 8)


@dataclass(frozen=True)
class SubwordTable:
    """Vectors of n-grams. The vector of an unknown word is `length` times (`base` + the sum of its n-grams' rows)."""

    keys: Hashes  # the hashes of the n-grams, sorted
    rows: NDArray[np.float16]
    base: Vectors  # what unknown words have in common: rare words are unlike frequent ones
    length: float = 1.0  # the mean length of the vectors of rare words

    def predict(self, words: Sequence[str]) -> tuple[Vectors, NDArray[np.bool_]]:
        """Return a vector per word, and whether any of its n-grams is known."""
        ngrams = ngram_matrix(words, self.keys)
        used, columns = np.unique(ngrams.indices, return_inverse=True)
        few = csr_matrix((ngrams.data, columns, ngrams.indptr), shape=(len(words), len(used)))
        vectors = np.float32(self.length) * (few @ self.rows[used].astype(np.float32) + self.base)
        return np.asarray(vectors), np.diff(ngrams.indptr) > 0


@dataclass(frozen=True)
class Evidence:
    """How far to trust the vectors of words, and the predictions of n-grams, as held-out words show."""

    noise: float = 0.0  # the count at which a word's vector and the prior deserve equal weight; 0: do not use a prior
    power: float = 1.0  # how fast a vector's weight grows with the count
    gain: float = 1.0  # how much longer the vectors of rare words would be without noise

    @classmethod
    def of(
        cls, ngrams: Any, counts: Counts, vectors: Vectors, workers: int = 1, settings: Settings = SETTINGS
    ) -> Evidence:
        """Compare held-out unit vectors x with the predictions p of a regression without them.

        A share f = 1 / (1 + (n / c)^a) of the vector of a word with count c is signal, so x p' is s sqrt(f) p p' on
        average. Least squares gives n, a and s. A word's own vector then has the weight 1 / (1 + (n / c)^a / e), where
        e = 1 - s^2 p p' is the share of the signal that n-grams do not explain.
        """
        is_held_out = np.arange(len(counts)) % HELD_OUT == 0
        tested = np.flatnonzero(is_held_out)
        if len(tested) < MIN_HELD_OUT:
            return cls()
        weights = np.where(is_held_out, np.float32(0), _reliability(counts, settings.subword_noise))
        mean, of_tested = _mean(vectors, weights), ngrams[tested]
        predicted = np.empty((len(tested), vectors.shape[1]), np.float32)

        def use(part: slice, columns: Vectors) -> None:
            predicted[:, part] = of_tested @ columns

        regress(ngrams, weights, vectors, mean, use, workers, settings)
        products = np.einsum("ij,ij->i", predicted, vectors[tested] - mean, dtype=np.float64)
        squares = np.einsum("ij,ij->i", predicted, predicted, dtype=np.float64)
        if products.sum() <= MIN_T * np.sqrt((products**2).sum()):
            return cls()
        fits = []
        for noise, power in itertools.product(NOISE_LEVELS, POWERS):
            shares = _reliability(counts[tested], noise, power).astype(np.float64)
            scale = np.sqrt(shares) @ products / (shares @ squares)
            fits.append((scale**2 * (shares @ squares), noise, power, scale))
        _, noise, power, scale = max(fits)
        is_rare = counts[tested] <= np.median(counts)
        slope = products[is_rare].sum() / squares[is_rare].sum()
        unexplained = max(1 - scale**2 * squares.mean(), 0.1)
        return cls(float(noise * unexplained ** (-1 / power)), float(power), float(1 / np.clip(slope, 0.25, 1)))


def improve_words(
    words: Sequence[str], counts: Counts, vectors: Vectors, workers: int = 1, settings: Settings = SETTINGS
) -> tuple[Vectors, SubwordTable]:
    """Return word vectors in which rare words lean on their n-grams, and the table for unknown words.

    The unit vector x of a word with count c becomes w x + (1 - w) prior, with w = c^a / (c^a + k^a). Its prior is the
    prediction of its n-grams plus the mean vector of words with its count, linear in log c, times a gain: a rare word's
    own vector is partly noise, which shortens what it has in common with others. Held-out words show k, a and the gain
    (:class:`Evidence`). The length of a vector does not change.

    Parameters
    ----------
    words : sequence of str
        The vocabulary.
    counts : array of int
        How often each word occurs.
    vectors : array of float32
        The vectors of the words, which are not changed.
    workers : int
        Number of threads; the result does not depend on it.
    """
    if not len(words):
        return vectors, SubwordTable(
            shared_ngrams(words), np.empty((0, vectors.shape[1]), np.float16), np.zeros(vectors.shape[1], np.float32)
        )
    (keys, ngrams), counts = _ngrams_of(words), np.maximum(counts, 1)
    weights = _reliability(counts, settings.subword_noise)
    rows, result = np.empty((len(keys), vectors.shape[1]), np.float16), unit(vectors)
    with threadpool_limits(limits=1, user_api="blas"):  # with more, sums could depend on the number of cores
        evidence = Evidence.of(ngrams, counts, result, workers, settings)
        own = _reliability(counts, evidence.noise, evidence.power)
        levels = np.stack([np.ones(len(counts)), np.log(counts)], axis=1).astype(np.float32)
        trend = np.linalg.pinv(levels.T @ levels) @ (levels.T @ result) * np.float32(evidence.gain)
        lengths = _lengths(vectors)

        def use(part: slice, columns: Vectors) -> None:
            rows[:, part] = columns
            prior = ngrams @ columns
            prior += levels @ trend[:, part]
            prior *= 1 - own[:, None]
            result[:, part] *= own[:, None]
            result[:, part] += prior

        regress(ngrams, weights, result, _mean(result, weights), use, workers, settings)
    base: Vectors = np.array([1.0, np.log(settings.unknown_count)], np.float32) @ trend
    table = SubwordTable(keys, rows, base, float(lengths[counts <= np.median(counts)].mean()))
    if not evidence.noise:
        logger.warning("the n-grams of this text say too little about its words: their vectors stay as they are")
        return vectors, table
    result *= lengths / np.maximum(_lengths(result), np.float32(1e-30))
    return result, table


def improve_sums(
    words: Sequence[str], counts: Counts, vectors: Vectors, workers: int = 1, settings: Settings = SETTINGS
) -> None:
    """Change the sums u + v for analogies in place: unit vectors, centred, plus a share of what their n-grams predict.

    The share grows with a word's count: with less noise, rare words would be the answer to too many questions. n-grams
    whose words have nothing in common predict nothing, so most names change little.
    """
    if not len(words):
        return
    (_, ngrams), counts = _ngrams_of(words), np.maximum(counts, 1)
    vectors /= np.maximum(_lengths(vectors), np.float32(1e-30))
    weights = _reliability(counts, settings.subword_noise)
    share = np.float32(settings.subword_strength) * _reliability(counts, settings.sum_noise)[:, None]

    def use(part: slice, columns: Vectors) -> None:
        vectors[:, part] -= vectors[:, part].mean(axis=0)
        vectors[:, part] += share * (ngrams @ columns)

    with threadpool_limits(limits=1, user_api="blas"):
        regress(ngrams, weights, vectors, _mean(vectors, weights), use, workers, settings)


def _ngrams_of(words: Sequence[str]) -> tuple[Hashes, Any]:
    """Return the n-grams that words share, and the matrix of how often each word has them."""
    keys = shared_ngrams(words)
    matrix = ngram_matrix(words, keys)
    trim_heap()  # lowers the peak by 60 of 770 MB for 68,000 words
    return keys, matrix


def _reliability(counts: Counts, noise: float, power: float = 1.0) -> Vectors:
    """Return the share of signal in the vectors of words with these counts: half at the count `noise`."""
    scaled = np.asarray(counts, np.float64) ** power
    return np.asarray(scaled / (scaled + noise**power), np.float32)


def _lengths(vectors: Vectors) -> Vectors:
    """Return the length of each row, as a column; unlike np.linalg.norm, without a copy of the squares."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))[:, None]


def _mean(vectors: Vectors, weights: Vectors) -> Vectors:
    return np.asarray(weights @ vectors / max(float(weights.sum()), 1e-30), np.float32)

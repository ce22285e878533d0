"""What n-grams say about words: the vectors of unknown words, and better ones for rare words and for analogies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.subwords.ngrams import Hashes, ngram_matrix, shared_ngrams
from gensim_wordrank.subwords.regression import regress
from gensim_wordrank.types import Vectors

logger = logging.getLogger(__name__)

Counts = NDArray[np.integer]

# one word in this many is held out to see how well n-grams predict
HELD_OUT = 10
# with fewer held-out words, or a lower slope of their vectors on the predictions, words keep their own vectors
MIN_HELD_OUT, MIN_SLOPE = 50, 0.25


@dataclass(frozen=True)
class SubwordTable:
    """Vectors of n-grams. The vector of an unknown word is `base` plus the sum of the rows of its n-grams."""

    keys: Hashes  # the hashes of the n-grams, sorted
    rows: Vectors
    base: Vectors  # what unknown words have in common: rare words are unlike frequent ones

    def predict(self, words: Sequence[str]) -> tuple[Vectors, NDArray[np.bool_]]:
        """Return a vector per word, and whether any of its n-grams is known."""
        ngrams = ngram_matrix(words, self.keys)
        return np.asarray(ngrams @ self.rows + self.base, np.float32), np.diff(ngrams.indptr) > 0


def improve_words(
    words: Sequence[str], counts: Counts, vectors: Vectors, workers: int = 1, settings: Settings = SETTINGS
) -> tuple[Vectors, SubwordTable]:
    """Return word vectors in which rare words lean on their n-grams, and the table for unknown words.

    The unit vector x of a word with count c becomes (c x + k prior) / (c + k). Its prior is the prediction p of its
    n-grams plus the mean vector of words with its count, a + b log c, times a gain: a rare word's own vector is partly
    noise, which shortens what it has in common with others. Held-out rare words show by how much. The length of a
    vector does not change.

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
    keys = shared_ngrams(words)
    ngrams, own = ngram_matrix(words, keys), _reliability(counts, settings.subword_noise)
    lengths = np.linalg.norm(vectors, axis=1)
    unknown_length = np.float32(lengths[counts <= np.median(counts)].mean())
    result = unit(vectors)
    with threadpool_limits(limits=1, user_api="blas"):  # with more, sums could depend on the number of cores
        slope = _held_out_slope(ngrams, counts, result, workers, settings)
        rows = regress(ngrams, own, result - _mean(result, own), workers, settings)
        levels = np.stack([np.ones(len(counts)), np.log(np.maximum(counts, 1))], axis=1).astype(np.float32)
        trend = np.linalg.lstsq(levels, result, rcond=None)[0] / np.float32(max(slope, MIN_SLOPE))
        base: Vectors = np.array([1.0, np.log(settings.unknown_count)], np.float32) @ trend
        if slope < MIN_SLOPE:
            logger.warning(
                "n-grams say too little about the words of this text: the vectors of its words stay as they are"
            )
            return vectors, SubwordTable(keys, unknown_length * rows, unknown_length * base)
        result *= own[:, None]
        prior = ngrams @ rows
        prior += levels @ trend
        prior *= 1 - own[:, None]
        result += prior
    result = unit(result)
    result *= lengths[:, None]
    rows *= unknown_length
    return result, SubwordTable(keys, rows, unknown_length * base)


def improve_sums(
    words: Sequence[str], counts: Counts, vectors: Vectors, workers: int = 1, settings: Settings = SETTINGS
) -> Vectors:
    """Return the sums u + v for analogies: unit vectors, centred, plus a share of what their n-grams predict.

    The share grows with a word's count: with less noise, rare words would be the answer to too many questions. n-grams
    whose words have nothing in common predict nothing, so most names change little.
    """
    ngrams, result = ngram_matrix(words, shared_ngrams(words)), unit(vectors)
    with threadpool_limits(limits=1, user_api="blas"):
        weights = _reliability(counts, settings.subword_noise)
        predicted = ngrams @ regress(ngrams, weights, result - _mean(result, weights), workers, settings)
    predicted *= (settings.subword_strength * _reliability(counts, settings.sum_noise))[:, None]
    result -= result.mean(axis=0)
    result += predicted
    return result


def _reliability(counts: Counts, noise: float) -> Vectors:
    """Return the share of signal in the vectors of words with these counts."""
    return np.asarray(counts / (counts + noise), np.float32)


def _mean(vectors: Vectors, weights: Vectors) -> Vectors:
    return np.asarray(weights @ vectors / max(float(weights.sum()), 1e-30), np.float32)


def _held_out_slope(ngrams: Any, counts: Counts, vectors: Vectors, workers: int, settings: Settings) -> float:
    """Return the slope, up to 1, of the vectors of rare words on the predictions of a regression without them."""
    is_held_out = np.arange(len(counts)) % HELD_OUT == 0
    tested = np.flatnonzero(is_held_out & (counts <= np.median(counts)))
    if len(tested) < MIN_HELD_OUT:
        return 0.0
    weights = np.where(is_held_out, np.float32(0), _reliability(counts, settings.subword_noise))
    mean = _mean(vectors, weights)
    predicted = ngrams[tested] @ regress(ngrams, weights, vectors - mean, workers, settings)
    together = float(np.einsum("ij,ij->", predicted, vectors[tested] - mean))
    return min(1.0, together / max(float(np.einsum("ij,ij->", predicted, predicted)), 1e-30))

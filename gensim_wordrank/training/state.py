"""The parameters that training changes, and their start values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.types import Floats, Vectors


class Init(str, Enum):
    """How vectors are initialized."""

    SHARED = "shared"  # short random vectors, of rare words mixed with one that they share
    RANDOM = "random"  # short random vectors
    POSITIVE = "positive"  # of length 1, as in the authors' program


@dataclass
class State:
    """The parameters, and what the solvers remember from epoch to epoch."""

    words: Vectors  # U
    contexts: Vectors  # V
    bias: Vectors  # of the contexts: score(w, c) = <u_w, v_c> + bias_c
    word_accumulator: Vectors  # AdaGrad: the sum of mean squared gradients of each row
    context_accumulator: Vectors
    epoch: int = 0  # epochs done; the random numbers of the next one depend on it
    # stored for every pair, or empty if the next epoch computes it
    xi: Vectors = field(default_factory=lambda: np.empty(0, np.float32))

    def with_bias(self) -> tuple[Vectors, Vectors]:
        """Return (u, 1) and (v, bias), whose inner products are the scores."""
        ones = np.ones((len(self.words), 1), np.float32)
        return np.hstack([self.words, ones]), np.hstack([self.contexts, self.bias[:, None]])

    def is_finite(self) -> bool:
        """Return True if all entries are finite. An infinite accumulator counts too: its row would never move again."""
        arrays = (self.words, self.contexts, self.bias, self.word_accumulator, self.context_accumulator)
        return all(map(is_finite, arrays))


def is_finite(array: Vectors) -> bool:
    """Return True if all entries are finite; minimum and maximum show it without a copy.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.state import is_finite
    >>> is_finite(np.ones(3)), is_finite(np.array([1, np.nan])), is_finite(np.array([1, -np.inf]))
    (True, False, False)
    """
    return math.isfinite(array.min(initial=0)) and math.isfinite(array.max(initial=0))


def initial_vectors(
    n: int, size: int, seed: int, part: int, settings: Settings = SETTINGS, positive: bool = False
) -> Vectors:
    """Return `n` random vectors; `part` is 0 for U, 1 for V. A larger `n` begins with the same vectors.

    They are short and have either sign; or they are `positive` and of length 1, as in the authors' program.
    """
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, part)))
    vectors = random.random((n, size), dtype=np.float32)
    if positive:
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
    vectors -= np.float32(0.5)
    vectors *= np.float32(settings.initial_length / np.sqrt(size))
    return vectors


def initial_words(counts: ArrayLike, size: int, seed: int, settings: Settings = SETTINGS) -> Vectors:
    """Return short random vectors of words, mixed with one common vector: the rarer a word, the more of it.

    The common vector acts as a prior mean. Rare words leave it only as far as their few, short steps take them
    (:func:`initial_accumulator`), so that words that occur once are not the neighbours of frequent ones.
    """
    rarity = rarity_of(counts, settings)
    vectors, common = (
        initial_vectors(len(rarity), size, seed, part=0, settings=settings),
        common_vector(size, seed, settings),
    )
    share = (rarity / (1 + rarity)).astype(np.float32)[:, None]
    vectors *= 1 - share
    vectors += share * common
    return vectors


def common_vector(size: int, seed: int, settings: Settings = SETTINGS) -> Vectors:
    """Return the vector that rare words start from."""
    result = initial_vectors(1, size, seed, part=2, settings=settings)
    result *= np.float32(settings.common_length / np.linalg.norm(result))
    return result


def are_given(
    vectors: Vectors, seed: int, part: int, settings: Settings = SETTINGS, positive: bool = False
) -> NDArray[np.bool_]:
    """Return which rows of U (part 0) or V (part 1) are not where training starts them, because a user put them there.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.state import are_given, initial_words
    >>> words = initial_words([100, 2, 1], size=4, seed=1)
    >>> words[1] = 1, 2, 3, 4
    >>> are_given(words, seed=1, part=0)
    array([False,  True, False])
    """
    n, size = vectors.shape
    start = initial_vectors(n, size, seed, part, settings, positive)
    distance = vectors - start
    if part == 0:  # remove the share of the common vector, whatever it is
        direction = common_vector(size, seed, settings) - start
        share = np.einsum("ij,ij->i", distance, direction) / np.einsum("ij,ij->i", direction, direction)
        distance -= share[:, None] * direction
    result: NDArray[np.bool_] = np.abs(distance).max(axis=1, initial=0) > 1e-4
    return result


def given_accumulator(vectors: Vectors, settings: Settings = SETTINGS) -> float:
    """Return the start value of the AdaGrad accumulators of vectors that a user gave; longer vectors move further."""
    mean_square = float(np.einsum("ij,ij->", vectors, vectors, dtype=np.float64)) / max(1, len(vectors))
    return settings.given_accumulator / max(mean_square, 1e-6)


def initial_accumulator(counts: ArrayLike, epochs: int = 1, settings: Settings = SETTINGS) -> Vectors:
    """Return the start values of AdaGrad accumulators: the rarer a word, the shorter its steps.

    In many epochs the steps are shorter still, so that rare words go as far in all.
    """
    rare = settings.rare_accumulator * max(1.0, epochs / settings.usual_epochs) ** 2
    return np.asarray(settings.initial_accumulator + rare * rarity_of(counts, settings), np.float32)


def relative_evidence(counts: ArrayLike, settings: Settings = SETTINGS) -> Floats:
    """Return counts, scaled up if half of the tokens belong to words below `settings.typical_count`.

    Examples
    --------
    >>> from gensim_wordrank.training.state import relative_evidence
    >>> relative_evidence([1000, 30, 1]).tolist(), relative_evidence([4, 2, 2]).tolist()
    ([1000.0, 30.0, 1.0], [50.0, 25.0, 25.0])
    """
    values = np.asarray(counts, np.float64)
    ascending = np.sort(values)
    tokens = np.cumsum(ascending)
    median = ascending[np.searchsorted(tokens, tokens[-1] / 2)]
    result: Floats = values * max(1.0, settings.typical_count / max(1.0, median))
    return result


def rarity_of(counts: ArrayLike, settings: Settings = SETTINGS) -> Floats:
    """Return a number per word that is 1 at the count `rare_count`, and falls fast as counts grow."""
    result: Floats = (settings.rare_count / np.maximum(np.asarray(counts, np.float64), 1)) ** settings.rare_power
    return result


def initial_bias(context_sums: Floats) -> Vectors:
    """Return the log-frequencies of the contexts, centred."""
    logs = np.log(context_sums + 1.0)
    return np.asarray(logs - logs.mean(), dtype=np.float32)

"""What training changes, and where it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.types import Vectors

# |start vector| is about this over the square root of 12: short, so that all contexts start with about the same score
START_LENGTH = 1.0
# of the sums of squared gradients: how little the first gradients may shorten the later steps
INITIAL_ACCUMULATOR = 0.05


@dataclass
class State:
    """The parameters, and what the solvers remember from epoch to epoch."""

    words: Vectors  # U
    contexts: Vectors  # V
    bias: Vectors  # of the contexts: score(w, c) = <u_w, v_c> + bias_c
    word_accumulator: Vectors  # sums of squared gradients, a row, from which its next step follows
    context_accumulator: Vectors
    epoch: int = 0  # epochs done; the random numbers of the next one depend on it

    @property
    def is_here(self) -> bool:
        """Whether the arrays are in this process, and not on machines of a cluster."""
        return True

    def with_bias(self) -> tuple[Vectors, Vectors]:
        """Return (u, 1) and (v, bias), whose inner products are the scores."""
        ones = np.ones((len(self.words), 1), np.float32)
        return np.hstack([self.words, ones]), np.hstack([self.contexts, self.bias[:, None]])

    def is_finite(self) -> bool:
        """Say whether every parameter is a number, and so every step: a row whose past is infinite moves no more."""
        arrays = (self.words, self.contexts, self.bias, self.word_accumulator, self.context_accumulator)
        return all(is_finite(array) for array in arrays)


def is_finite(array: Vectors) -> bool:
    """Say whether every number is one; NaN and infinity are found in the least and the greatest, without a copy.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.state import is_finite
    >>> is_finite(np.ones(3)), is_finite(np.array([1, np.nan])), is_finite(np.array([1, -np.inf]))
    (True, False, False)
    """
    return math.isfinite(array.min(initial=0)) and math.isfinite(array.max(initial=0))


def initial_vectors(n: int, size: int, seed: int, part: int) -> Vectors:
    """Return `n` short random vectors; `part` tells U (0) from V (1). More vectors begin with the same ones."""
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, part)))
    vectors = random.random((n, size), dtype=np.float32)
    vectors -= np.float32(0.5)
    vectors *= np.float32(START_LENGTH / np.sqrt(size))
    return vectors


def initial_bias(counts: Cooccurrence) -> Vectors:
    """Return the log-frequencies of the contexts, less their mean."""
    logs = np.log(counts.context_sums() + 1.0)
    return np.asarray(logs - logs.mean(), dtype=np.float32)

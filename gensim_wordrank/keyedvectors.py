"""gensim KeyedVectors: u, v or u + v to use, vectors to start from, locked vectors."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy.special import softmax

from gensim_wordrank._utils import validation
from gensim_wordrank.types import Vectors

logger = logging.getLogger(__name__)


class Which(str, Enum):
    """Which of the trained vectors to return."""

    WORD = "word"  # u
    CONTEXT = "context"  # v
    SUM = "sum"  # u + v


class Style(str, Enum):
    """How to postprocess them."""

    RAW = "raw"  # not at all
    CENTRED = "centred"  # subtract the mean, which removes a direction that only shows frequency
    SCALED = "scaled"  # scale columns, then rows, to length 1, as the paper's authors do before they evaluate


def combine(words: Vectors, contexts: Vectors, which: Which | str = "word", style: Style | str = "raw") -> Vectors:
    """Return u, v or u + v in the given style, as a new array.

    For the scaled sum, U and V are scaled before they are added, as the authors do.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.keyedvectors import combine
    >>> u, v = np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> combine(u, v, "sum", "centred").tolist()
    [[1.0, -2.0], [-1.0, 2.0]]
    """
    which, style = validation.choice("which", Which, which), validation.choice("style", Style, style)
    if which is Which.SUM:
        result = _scale(words) + _scale(contexts) if style is Style.SCALED else words + contexts
    else:
        result = (words if which is Which.WORD else contexts).copy()
    if style is Style.CENTRED:
        result -= result.mean(axis=0, dtype=np.float64).astype(result.dtype)
    return _scale(result) if style is Style.SCALED else result


def keyed_like(keyed: KeyedVectors, vectors: Vectors) -> KeyedVectors:
    """Return new KeyedVectors with the keys and counts of `keyed` and the given vectors."""
    result = KeyedVectors(vectors.shape[1])
    result.index_to_key = list(keyed.index_to_key)
    result.key_to_index = dict(keyed.key_to_index)
    result.expandos = {name: values.copy() for name, values in keyed.expandos.items()}
    result.vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    return result


def plain_attributes(keyed: KeyedVectors) -> dict[str, Any]:
    """Return the attributes of words that are numbers or strings, as arrays or lists; warn of others."""
    result: dict[str, Any] = {}
    for name, values in keyed.expandos.items():
        if values.dtype.kind in "biuf":
            result[name] = values
        elif all(value is None or isinstance(value, (str, int, float)) for value in values.tolist()):
            result[name] = values.tolist()
        else:
            logger.warning(
                "the word attribute %r is not saved in checkpoints: it holds neither numbers nor strings", name
            )
    return result


def overwrite_known(keyed: KeyedVectors, words: Sequence[str], start: Vectors) -> tuple[Vectors, int]:
    """Return a copy of `start` with the vectors of those `words` that `keyed` knows, and their number.

    A word whose vector is zero keeps its initial vector.
    """
    size = start.shape[1]
    if not isinstance(keyed, KeyedVectors):
        raise TypeError(f"'warm_start' must be KeyedVectors, as model.wv. Got a {type(keyed).__name__} instead.")
    if keyed.vector_size != size:
        raise validation.parameter_error("warm_start", f"vectors of size {size}", keyed.vector_size)
    result, n_known = start.copy(), 0  # `start` may be a read-only memory map
    for i, word in enumerate(words):
        # gensim takes an unknown number for an index; FastText has vectors of strings outside its vocabulary
        if word in (keyed if isinstance(word, str) else keyed.key_to_index) and keyed[word].any():
            result[i] = keyed[word]
            n_known += 1
    bad = np.flatnonzero(~np.isfinite(result).all(axis=1))
    if len(bad):
        raise ValueError(
            f"'warm_start' must hold finite numbers. The vector of {words[bad[0]]!r} has NaN or infinity "
            f"({len(bad)} vectors in all). Remove these words."
        )
    return result, n_known


def restore_locked(keyed: KeyedVectors, new: Vectors) -> None:
    """Undo, in `new`, the change of those vectors of `keyed` that its `vectors_lockf` locks.

    `vectors_lockf` holds one factor per vector, or one for all: 0 undoes a vector's change, 1 keeps it.
    """
    lock = np.asarray(getattr(keyed, "vectors_lockf", 1.0), np.float32).ravel()
    if len(lock) not in (1, len(keyed)):
        raise validation.parameter_error("wv.vectors_lockf", f"1 number or {len(keyed)}, one per word", len(lock))
    lock = np.broadcast_to(lock, len(keyed))
    held = np.flatnonzero(lock != 1)
    old = keyed.vectors[held]
    new[held] = old + lock[held, None] * (new[held] - old)


def extend_locks(keyed: KeyedVectors) -> None:
    """Leave words that are new to `keyed` unlocked, if it has one lock per word."""
    lock = getattr(keyed, "vectors_lockf", None)
    if lock is not None and len(lock) > 1:
        keyed.vectors_lockf = np.append(lock, np.ones(len(keyed) - len(lock), np.float32))


def known_indices(keyed: KeyedVectors, words: Iterable[str | int]) -> list[int]:
    """Return the indices of known words, given as words or indices; where words are numbers, as words only."""
    known = keyed if isinstance(keyed.index_to_key[0], str) else keyed.key_to_index
    return [keyed.get_index(word) for word in words if word in known]


def likely_contexts(word: Vectors, contexts: Vectors, bias: Vectors, topn: int) -> list[tuple[int, float]]:
    """Return the contexts with the highest scores <u, v> + b, and the softmax of their scores."""
    scores = contexts @ word
    if len(bias):
        scores[: len(bias)] += bias
        scores[len(bias) :] += bias.min()  # new words that are not trained yet
    probabilities = softmax(scores.astype(np.float64))
    best = np.argsort(-probabilities, kind="stable")[:topn]
    return [(int(i), float(probabilities[i])) for i in best]


def nearest(cosines: Vectors, i: int, topn: int) -> NDArray[np.int64]:
    """Return the indices of the largest cosines, in order, without the word itself."""
    cosines = cosines.copy()
    cosines[i] = -np.inf
    topn = min(topn, len(cosines) - 1)
    best = np.argpartition(-cosines, topn - 1)[:topn] if topn > 0 else np.empty(0, np.int64)
    return best[np.argsort(-cosines[best], kind="stable")]


def unit(vectors: Vectors, axis: int = 1) -> Vectors:
    """Scale rows, or columns with ``axis=0``, to length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=axis, keepdims=True)
    result: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return result


def _scale(vectors: Vectors) -> Vectors:
    """Scale columns, then rows, to length 1."""
    return unit(unit(vectors, axis=0))

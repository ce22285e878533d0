"""Word vectors for use: u, v or u + v as gensim KeyedVectors."""

from __future__ import annotations

from enum import Enum

import numpy as np
from gensim.models import KeyedVectors

from gensim_wordrank import checks
from gensim_wordrank.ranks import Vectors


class Which(str, Enum):
    """Which of the trained vectors."""

    WORD = "word"  # u
    CONTEXT = "context"  # v
    SUM = "sum"  # u + v


class Style(str, Enum):
    """What is done to them."""

    RAW = "raw"  # nothing
    CENTRED = "centred"  # their mean is subtracted, which takes away the direction that only tells frequency
    SCALED = "scaled"  # columns, then rows, scaled to length 1: what the paper's authors evaluate


def combine(words: Vectors, contexts: Vectors, which: Which | str = "word", style: Style | str = "raw") -> Vectors:
    """Return u, v or u + v in the given style, as a new array.

    For the scaled sum, U and V are first scaled each, as the authors do.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.vectors import combine
    >>> u, v = np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[0.0, 2.0], [0.0, 4.0]])
    >>> combine(u, v, "sum", "centred").tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    which, style = checks.choice("which", Which, which), checks.choice("style", Style, style)
    if which is Which.SUM and style is Style.SCALED:
        words, contexts = _scale(words), _scale(contexts)
    result: Vectors = {Which.WORD: words.copy, Which.CONTEXT: contexts.copy, Which.SUM: lambda: words + contexts}[
        which
    ]()
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


def _scale(vectors: Vectors) -> Vectors:
    """Scale columns, then rows, to length 1; a row or column of zeros stays."""
    for axis in (0, 1):
        lengths = np.linalg.norm(vectors, axis=axis, keepdims=True)
        vectors = np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)
    return vectors

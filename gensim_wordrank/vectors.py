"""Word vectors for use: u, v or u + v as gensim KeyedVectors."""

from __future__ import annotations

from collections.abc import Sequence
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


def take_over(keyed: KeyedVectors, words: Sequence[str], target: Vectors) -> int:
    """Copy the vectors of `words` that `keyed` knows into the rows of `target`; return how many they are."""
    size = target.shape[1]
    if keyed.vector_size != size:
        raise checks.refuse("warm_start", f"vectors of size {size}", keyed.vector_size)
    known = [(i, word) for i, word in enumerate(words) if word in keyed]
    if not known:
        return 0
    values = np.stack([keyed[word] for _, word in known])
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise ValueError(
            f"'warm_start' must hold finite numbers. The vector of {known[bad[0]][1]!r} has NaN or infinity "
            f"({len(bad)} vectors in all). Remove these words from it."
        )
    target[[i for i, _ in known]] = values
    return len(known)


def _scale(vectors: Vectors) -> Vectors:
    """Scale columns, then rows, to length 1; a row or column of zeros stays."""
    for axis in (0, 1):
        lengths = np.linalg.norm(vectors, axis=axis, keepdims=True)
        vectors = np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)
    return vectors

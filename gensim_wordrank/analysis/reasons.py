"""Why two words are near: the contexts that they share, and how much each adds to the cosine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.types import Floats, Vectors

# weight of all contexts that the words do not share, relative to that of all they share: what these cannot express
# is attributed to the others
REST = 1e-3
# directions with less variance than this share of the largest are left out
MIN_VARIANCE = 1e-10
# words of an example line before the first and after the second word
MARGIN = 4


@dataclass(frozen=True)
class SharedContext:
    """A context of two words.

    Attributes
    ----------
    context : str
        The context.
    part : float
        What it adds to the cosine.
    counts : (float, float)
        Its weighted co-occurrence counts with the two words.
    ranks : (int, int)
        Its ranks among all contexts of each word, from 0.
    lines : (str, str)
        Places in the text where it is near each word, or "" if none was searched.
    """

    context: Any
    part: float
    counts: tuple[float, float]
    ranks: tuple[int, int]
    lines: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Explanation:
    """Why two words are near.

    Attributes
    ----------
    words : (str, str)
        The two words.
    cosine : float
        Their cosine.
    shared : float
        The part of the cosine that comes from contexts that occur with both words; the others add the rest.
    n_shared : int
        Number of these contexts.
    contexts : list of SharedContext
        Those that add most, in descending order.
    """

    words: tuple[Any, Any]
    cosine: float
    shared: float
    n_shared: int
    contexts: list[SharedContext] = field(default_factory=list)

    def __str__(self) -> str:
        one, other = self.words
        title = f"{one} and {other}: {self.cosine:.3f}, {self.shared:.3f} of it from {self.n_shared} shared contexts"
        rows = [title, f"  part   counts          ranks          context (counts and ranks: with {one}, with {other})"]
        for each in self.contexts:
            counts, ranks = "{:g}, {:g}".format(*each.counts), "{}, {}".format(*each.ranks)
            rows.append(f"  {each.part:.3f}  {counts:15} {ranks:14} {each.context}")
            rows += [f"         {line}" for line in each.lines if line]
        return "\n".join(rows)

    def summary(self, n: int = 3) -> str:
        """Return one line with the contexts that add most.

        Examples
        --------
        >>> from gensim_wordrank.analysis.reasons import Explanation, SharedContext
        >>> cup = SharedContext("cup", 0.25, (3.0, 4.5), (1, 2))
        >>> Explanation(("coffee", "tea"), 0.5, 0.4, 9, [cup]).summary()
        'cup 0.25'
        """
        return ", ".join(f"{each.context} {each.part:.2f}" for each in self.contexts[:n])


class Explainer:
    """Explains the cosines of a model by its counts.

    Both word vectors are expressed by their scores with the contexts. Contexts overlap, so the scores are whitened
    first: with the weights w and the context vectors v, ``G = sum of w v v'`` and ``x = sqrt(w) G^(-1/2) v``, the
    sum of ``(x'a)(x'b)`` over all contexts is a'b. Divided by the lengths of a and b, each term is what a context adds
    to the cosine, and together they are the cosine. The weight of a context is the geometric mean of the weights r that
    training gives the two pairs. A context that occurs with only one of the words has almost no weight.
    """

    def __init__(self, model: Any) -> None:
        if model.cooccurrence is None:
            raise RuntimeError(
                "Reasons need the co-occurrences that the model was trained on, and it does not hold them. "
                "save(..., cooccurrence=True) and `wordrank train --with-counts` keep them."
            )
        model._require_contexts(trained=True)
        self.wv, self.contexts, self.bias = model.wv, model.context_vectors, model.context_bias
        self.counts: Cooccurrence = model.cooccurrence
        self.objective, self.window, self.symmetric = model.objective, int(model.window), bool(model.symmetric)

    @cached_property
    def _weights(self) -> Callable[[slice], Vectors]:
        found: Callable[[slice], Vectors] = self.objective.weights_of(self.counts)
        return found

    def explain(self, one: Any, other: Any, topn: int = 10) -> Explanation:
        """Return the contexts that add most to the cosine of two words."""
        rows = self.wv.get_index(one), self.wv.get_index(other)
        pairs = [slice(int(self.counts.indptr[i]), int(self.counts.indptr[i + 1])) for i in rows]
        columns = [self.counts.indices[each] for each in pairs]
        shared, *places = np.intersect1d(columns[0], columns[1], assume_unique=True, return_indices=True)
        weights = [self._weights(each)[place] for each, place in zip(pairs, places, strict=True)]
        counts = [self.counts.data[each][place] for each, place in zip(pairs, places, strict=True)]
        vectors = [self.wv.vectors[i].astype(np.float64) for i in rows]
        parts = self._parts(vectors[0], vectors[1], shared, np.sqrt(weights[0].astype(np.float64) * weights[1]))
        ranks = [_ranks(self.contexts @ self.wv.vectors[i] + self.bias) for i in rows]
        best = np.argsort(-parts[shared], kind="stable")[:topn]
        contexts = [
            SharedContext(
                self.wv.index_to_key[shared[k]], float(parts[shared[k]]),
                (round(float(counts[0][k]), 2), round(float(counts[1][k]), 2)),
                (int(ranks[0][shared[k]]), int(ranks[1][shared[k]])),
            )
            for k in best.tolist()
        ]  # fmt: skip
        cosine = float(self.wv.similarity(one, other))
        return Explanation((one, other), cosine, float(parts[shared].sum()), len(shared), contexts)

    def _parts(self, one: Floats, other: Floats, shared: Any, weights: Floats) -> Floats:
        """Return what each context adds to the cosine."""
        all_weights = np.full(len(self.contexts), REST * (float(weights.sum()) or 1.0) / len(self.contexts))
        all_weights[shared] += weights
        contexts = self.contexts.astype(np.float64)
        with threadpool_limits(limits=1, user_api="blas"):  # the same result for any number of cores
            variances, directions = np.linalg.eigh((contexts.T * all_weights) @ contexts)
            kept = variances > MIN_VARIANCE * variances[-1]
            whitener = directions[:, kept] / np.sqrt(variances[kept]) @ directions[:, kept].T
            scores = contexts @ (whitener @ np.stack([one, other], axis=1))
        lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
        return all_weights * scores[:, 0] * scores[:, 1] / lengths if lengths else np.zeros(len(contexts))


def _ranks(scores: Vectors) -> Any:
    """Return the rank of each context, 0 for the highest score."""
    ranks = np.empty(len(scores), np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks


def with_lines(
    explanation: Explanation, sentences: Iterable[Sequence[Any]], window: int, symmetric: bool = True
) -> Explanation:
    """Return an explanation with a place in the text for each context and word; the text is read until all are found.

    `sentences` must be without unknown words, so that distances are those that were counted.

    Examples
    --------
    >>> from gensim_wordrank.analysis.reasons import Explanation, SharedContext, with_lines
    >>> found = Explanation(("coffee", "tea"), 0.5, 0.4, 9, [SharedContext("cup", 0.25, (3.0, 4.5), (1, 2))])
    >>> with_lines(found, [["a", "cup", "of", "tea"], ["coffee", "cup"]], window=5).contexts[0].lines
    ('coffee cup', 'a cup of tea')
    """
    lines: dict[tuple[Any, Any], str] = {}
    wanted = {(word, each.context) for word in explanation.words for each in explanation.contexts}
    for sentence in sentences:
        words = set(sentence)
        for word, context in [pair for pair in wanted if pair[0] in words and pair[1] in words]:
            place = _closest(sentence, word, context, symmetric)
            if place is not None and place[1] - place[0] <= window:
                lines[word, context] = " ".join(map(str, sentence[max(0, place[0] - MARGIN) : place[1] + MARGIN + 1]))
                wanted.remove((word, context))
        if not wanted:
            break
    one, other = explanation.words
    contexts = [
        replace(each, lines=(lines.get((one, each.context), ""), lines.get((other, each.context), "")))
        for each in explanation.contexts
    ]
    return replace(explanation, contexts=contexts)


def _closest(sentence: Sequence[Any], word: Any, context: Any, symmetric: bool) -> tuple[int, int] | None:
    """Return the two places, in order, where a word and a context are closest; one-sided contexts come first."""
    places = [[i for i, each in enumerate(sentence) if each == key] for key in (word, context)]
    pairs = [(j - i, i, j) for i in places[0] for j in places[1] if i != j and (symmetric or j < i)]
    if not pairs:
        return None
    _, i, j = min(pairs, key=lambda pair: abs(pair[0]))
    return min(i, j), max(i, j)

"""Scores of word vectors on test sets, with intervals, and whether two models differ by more than noise.

Any KeyedVectors will do: ours, Word2Vec's, GloVe's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy.stats import rankdata

from gensim_wordrank._utils import validation
from gensim_wordrank.evaluation.testsets import AnalogySet, SimilaritySet
from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.types import Vectors

# bytes of scores that are looked at together
BLOCK_BYTES = 64 << 20
# what keeps 3CosMul from dividing by 0 (Levy and Goldberg, 2014)
EPSILON = 0.001
# resampled sets that an interval is taken from
RESAMPLES = 1000


class Unknown(str, Enum):
    """What becomes of items with a word that has no vector."""

    ZERO = "zero"  # similarity 0, or a wrong answer, as in the paper
    SKIP = "skip"  # left out, as gensim does by default


class Method(str, Enum):
    """How an analogy is answered: the word x whose vector is nearest to b - a + c, or whose similarities agree."""

    ADD = "add"  # 3CosAdd: cos(x, b) - cos(x, a) + cos(x, c)
    MUL = "mul"  # 3CosMul: cos(x, b) cos(x, c) / (cos(x, a) + epsilon), with cosines moved to 0 ... 1


@dataclass(frozen=True)
class Score:
    """The result on one set.

    Attributes
    ----------
    name : str
        Of the set.
    kind : {"similarity", "analogy"}
        Spearman's correlation, or the share of right answers.
    outcome : array of float64
        A number an item: its cosine, or 1 for a right answer; 0 for unknown words.
    ratings : array of float64
        What a similarity set says of each item; empty for analogies.
    known : array of bool
        Whether all words of an item have vectors.
    unknown : Unknown
        What the value makes of the others.
    groups : array of str
        The section of each question; empty for similarity.
    syntactic : array of bool
        Whether a question is syntactic; empty for similarity.
    """

    name: str
    kind: str
    outcome: NDArray[np.float64]
    ratings: NDArray[np.float64]
    known: NDArray[np.bool_]
    unknown: Unknown
    groups: NDArray[np.str_] = field(default_factory=lambda: np.empty(0, np.str_))
    syntactic: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))

    @property
    def items(self) -> NDArray[np.int64]:
        """Which items count."""
        return np.flatnonzero(self.known) if self.unknown is Unknown.SKIP else np.arange(len(self.known))

    @property
    def value(self) -> float:
        """The score, from 0 (or -1) to 1; not a number if no item counts."""
        return self.of(self.items)

    @property
    def unknown_share(self) -> float:
        """The share of items with an unknown word."""
        return 1 - float(self.known.mean())

    def of(self, items: NDArray[np.int64]) -> float:
        """Return the score on some of the items, which may be repeated."""
        if not len(items):
            return float("nan")
        if self.kind == "analogy":
            return float(self.outcome[items].mean())
        return _correlation(rankdata(self.outcome[items]), rankdata(self.ratings[items]))

    def sections(self) -> dict[str, float]:
        """Return the score of each section of analogies, then of all semantic and all syntactic ones."""
        counted = np.zeros(len(self.known), bool)
        counted[self.items] = True
        parts = {name: self.groups == name for name in dict.fromkeys(self.groups.tolist()) if name}
        totals = {"semantic": ~self.syntactic, "syntactic": self.syntactic} if len(self.syntactic) else {}
        parts |= {name: total for name, total in totals.items() if name not in parts}  # which may be called so itself
        return {name: self.of(np.flatnonzero(part & counted)) for name, part in parts.items()}

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the bootstrap interval of the value: how far another set of such items could move it."""
        return _interval(_resample(self.items, self.of), level)


@dataclass(frozen=True)
class Comparison:
    """How much better one model is than another on the same items.

    Attributes
    ----------
    difference : float
        The score of the first less that of the second.
    interval : tuple of float
        95% of differences on resampled items lie there.
    p : float
        Twice the share of resampled sets on which the other side is ahead: below 0.05 the difference is not noise.
    """

    difference: float
    interval: tuple[float, float]
    p: float

    @property
    def is_real(self) -> bool:
        """Whether the difference is more than the choice of items explains."""
        return self.p < 0.05


def similarity(
    keyed: KeyedVectors, test: SimilaritySet, unknown: Unknown | str = "zero", restrict_vocab: int | None = None
) -> Score:
    """Return Spearman's correlation of cosines with ratings; the parameters are those of :func:`analogies`.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> import numpy as np
    >>> from gensim_wordrank.evaluation.scores import similarity
    >>> from gensim_wordrank.evaluation.testsets import SimilaritySet
    >>> keyed = KeyedVectors(2)
    >>> keyed.add_vectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [-1, 1]], np.float32))
    >>> pairs = [("cat", "dog"), ("dog", "car"), ("cat", "car"), ("cat", "cup")]
    >>> test = SimilaritySet("toy", pairs, np.array([4.0, 3.0, 2.0, 1.0]))
    >>> score = similarity(keyed, test, unknown="skip")
    >>> score.value, score.unknown_share
    (1.0, 0.25)
    """
    index = _index(keyed, _size(keyed, restrict_vocab))
    left, right = (np.array([index.get(pair[i].upper(), -1) for pair in test.pairs]) for i in (0, 1))
    known = (left >= 0) & (right >= 0)
    rows, cosines = unit(keyed.vectors), np.zeros(len(known))
    cosines[known] = np.einsum("ij,ij->i", rows[left[known]], rows[right[known]], dtype=np.float64)
    return Score(test.name, "similarity", cosines, test.ratings, known, validation.choice("unknown", Unknown, unknown))


def analogies(
    keyed: KeyedVectors,
    test: AnalogySet,
    method: Method | str = "add",
    unknown: Unknown | str = "zero",
    restrict_vocab: int | None = None,
) -> Score:
    """Return the share of analogies that are answered right; the words of a question are never its answer.

    Parameters
    ----------
    keyed : KeyedVectors
        The vectors; case is not looked at, as in gensim.
    test : AnalogySet
        The questions.
    method : {"add", "mul"}
        3CosAdd or 3CosMul.
    unknown : {"zero", "skip"}
        Whether questions with unknown words are wrong, or left out.
    restrict_vocab : int, optional
        Know only so many of the most frequent words; by default all, as in the paper (gensim: 300,000).

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> import numpy as np
    >>> from gensim_wordrank.evaluation.scores import analogies
    >>> from gensim_wordrank.evaluation.testsets import AnalogySet
    >>> keyed = KeyedVectors(2)
    >>> keyed.add_vectors(["man", "woman", "king", "queen"], np.array([[3, 0], [3, 1], [0, 3], [0.5, 3]], np.float32))
    >>> analogies(keyed, AnalogySet("toy", [("man", "woman", "king")], [("queen",)], [""])).value
    1.0
    """
    method, unknown = validation.choice("method", Method, method), validation.choice("unknown", Unknown, unknown)
    n_words = _size(keyed, restrict_vocab)
    index = _index(keyed, n_words)
    asked = np.array([[index.get(word.upper(), -1) for word in question] for question in test.questions], np.int64)
    accepted = [[index[word.upper()] for word in words if word.upper() in index] for words in test.answers]
    known = (asked >= 0).all(axis=1) & np.array([bool(words) for words in accepted])
    rows = unit(keyed.vectors[:n_words])
    # as in gensim, spellings of a word are one: the most frequent asks for all, and the best of them answers
    first = np.array([index[str(word).upper()] for word in keyed.index_to_key[:n_words]], np.int64)
    together, others = np.argsort(first, kind="stable"), np.flatnonzero(first != np.arange(n_words))
    starts = np.flatnonzero(np.diff(first[together], prepend=-1))
    right = np.zeros(len(asked))
    block = max(1, BLOCK_BYTES // (4 * max(n_words, 1)))
    for start in range(0, int(known.sum()), block):
        questions = np.flatnonzero(known)[start : start + block]
        scores = _scores(rows, asked[questions], method)
        if len(others):
            scores[:, first[together[starts]]] = np.maximum.reduceat(scores[:, together], starts, axis=1)
            scores[:, others] = -np.inf
        scores[np.arange(len(questions))[:, None], asked[questions]] = -np.inf
        answers = scores.argmax(axis=1)
        right[questions] = [answer in accepted[i] for i, answer in zip(questions, answers, strict=True)]
    syntactic = test.is_syntactic()
    return Score(test.name, "analogy", right, np.empty(0), known, unknown, np.array(test.sections), syntactic)


def _scores(rows: Vectors, asked: NDArray[np.int64], method: Method) -> Vectors:
    """Return the score of every word as an answer to each question."""
    a, b, c = rows[asked[:, 0]], rows[asked[:, 1]], rows[asked[:, 2]]
    if method is Method.ADD:
        scores: Any = (b - a + c) @ rows.T
    else:
        scores = (1 + b @ rows.T) * (1 + c @ rows.T) / (1 + a @ rows.T + 2 * EPSILON)  # but for a factor of 2
    return np.asarray(scores, np.float32)


def evaluate(
    words: KeyedVectors,
    tests: Iterable[SimilaritySet | AnalogySet],
    sums: KeyedVectors | None = None,
    method: Method | str = "add",
    unknown: Unknown | str = "zero",
    restrict_vocab: int | None = None,
) -> list[Score]:
    """Return the scores on several sets: similarity by `words`, analogies by `sums` if given (the paper: u, u + v).

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation.scores import evaluate
    >>> from gensim_wordrank.evaluation.testsets import shipped
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> [(score.name, score.kind) for score in evaluate(model.wv, shipped(), model.vectors("sum"))]
    [('wordsim353', 'similarity'), ('simlex999', 'similarity'), ('questions-words', 'analogy')]
    """
    return [
        similarity(words, test, unknown, restrict_vocab)
        if isinstance(test, SimilaritySet)
        else analogies(words if sums is None else sums, test, method, unknown, restrict_vocab)
        for test in tests
    ]


def compare(one: Score, other: Score) -> Comparison:
    """Return how far two models differ on the same set, and whether that is more than noise (a paired bootstrap).

    Items that one of them leaves out are left out for both.
    """
    of_set = [
        (score.name, score.kind, score.unknown, len(score.known), score.ratings.tobytes()) for score in (one, other)
    ]
    if of_set[0] != of_set[1]:
        raise ValueError("'one' and 'other' must be scores on the same set, with the same treatment of unknown words.")
    items = np.intersect1d(one.items, other.items)

    def difference(chosen: NDArray[np.int64]) -> float:
        return one.of(chosen) - other.of(chosen)

    differences = _resample(items, difference)
    # one more on each side, so that no p is 0; a difference that is not a number may be on either
    undefined = RESAMPLES - np.sum(np.isfinite(differences))
    behind = min(np.sum(differences <= 0), np.sum(differences >= 0)) + undefined + 1
    return Comparison(difference(items), _interval(differences, 0.95), min(1.0, 2 * float(behind) / (RESAMPLES + 1)))


def _size(keyed: KeyedVectors, restrict_vocab: int | None) -> int:
    """Return how many words are known."""
    if restrict_vocab is None:
        return len(keyed)
    return min(len(keyed), validation.positive_integer("restrict_vocab", restrict_vocab))


def _index(keyed: KeyedVectors, n_words: int) -> dict[str, int]:
    """Return the indices of words in capitals; of words that differ in case only, the most frequent counts."""
    return {str(word).upper(): i for i, word in reversed(list(enumerate(keyed.index_to_key[:n_words])))}


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / scale) if scale > 0 else float("nan")


def _resample(items: NDArray[np.int64], statistic: Callable[[NDArray[np.int64]], float]) -> NDArray[np.float64]:
    """Return the statistic of many sets of as many items, drawn with replacement."""
    random = np.random.default_rng(0)
    return np.array([statistic(random.choice(items, len(items))) for _ in range(RESAMPLES if len(items) else 0)])


def _interval(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    if np.isnan(values).all():
        return float("nan"), float("nan")
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)

"""Score word vectors on test sets, with confidence intervals and significance tests between models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy.stats import rankdata

from gensim_wordrank._utils import display, validation
from gensim_wordrank.evaluation import tables
from gensim_wordrank.evaluation.testsets import AnalogySet, SimilaritySet
from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.types import Vectors

# keeps 3CosMul from dividing by 0 (Levy and Goldberg, 2014)
EPSILON = 0.001
# bootstrap samples per interval
RESAMPLES = 1000


class Unknown(str, Enum):
    """How to treat items that contain a word without a vector."""

    ZERO = "zero"  # similarity 0 or a wrong answer, as in the paper
    SKIP = "skip"  # left out, gensim's default


class Method(str, Enum):
    """How to answer an analogy "a is to b as c is to x": x is the word that maximizes this score."""

    ADD = "add"  # 3CosAdd: cos(x, b) - cos(x, a) + cos(x, c)
    MUL = "mul"  # 3CosMul: cos(x, b) cos(x, c) / (cos(x, a) + epsilon), with cosines shifted to 0 ... 1


@dataclass(frozen=True, repr=False)
class Score:
    """The result on one test set: Spearman's correlation or, for analogies, the share of correct answers.

    The arrays have one value per item. For analogies, `ratings` is empty; for similarity, the last two arrays are.
    """

    name: str
    kind: str  # "similarity" or "analogy"
    outcomes: NDArray[np.float64]  # the cosine, or 1 for a correct answer; 0 if a word is unknown
    ratings: NDArray[np.float64]
    known: NDArray[np.bool_]  # whether all words have vectors
    unknown: Unknown
    item_sections: NDArray[np.str_] = field(default_factory=lambda: np.empty(0, np.str_))
    is_syntactic: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))

    @property
    def items(self) -> NDArray[np.int64]:
        """Indices of the items that are scored."""
        return np.flatnonzero(self.known) if self.unknown is Unknown.SKIP else np.arange(len(self.known))

    @property
    def value(self) -> float:
        """The score: at most 1, NaN if no item is scored."""
        return self.value_on(self.items)

    @property
    def unknown_share(self) -> float:
        """Share of the items that contain an unknown word."""
        return 1 - float(self.known.mean())

    def value_on(self, items: NDArray[np.int64]) -> float:
        """Return the score on some of the items, given by index, possibly with repetitions."""
        if not len(items):
            return float("nan")
        if self.kind == "analogy":
            return float(self.outcomes[items].mean())
        return _correlation(rankdata(self.outcomes[items]), rankdata(self.ratings[items]))

    def sections(self) -> dict[str, float]:
        """Return the score of each section of an analogy set, and of all semantic and all syntactic questions."""
        is_scored = np.zeros(len(self.known), bool)
        is_scored[self.items] = True
        parts = {name: self.item_sections == name for name in dict.fromkeys(self.item_sections.tolist()) if name}
        if len(self.is_syntactic):  # a set may already have sections of these names
            parts.setdefault("semantic", ~self.is_syntactic)
            parts.setdefault("syntactic", self.is_syntactic)
        return {name: self.value_on(np.flatnonzero(part & is_scored)) for name, part in parts.items()}

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the bootstrap confidence interval of the value."""
        return _interval(_resample(self.items, self.value_on), level)

    def __repr__(self) -> str:
        low, high = map(tables.percent, self.interval())
        unknown = f"{tables.percent(self.unknown_share)}% of {len(self.known):,} items unknown"
        return f"<Score on {self.name}: {tables.percent(self.value)} ({low} to {high}), {unknown}>"

    def _repr_html_(self) -> str:
        return tables.to_html([tables.score_row(self)])


class Scores(list[Score]):
    """The scores of a model on several test sets: a list that prints as a table.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.evaluation.scores import Score, Scores, Unknown
    >>> known, correct = np.array([True, True, False, True]), np.array([1.0, 1.0, 0.0, 1.0])
    >>> Scores([Score("toy", "analogy", correct, np.empty(0), known, Unknown.ZERO)])
    "paper": an item with an unknown word scores 0. "gensim": it is left out.
    Similarity: 100 x Spearman's correlation. Analogies: % correct.
    <BLANKLINE>
         paper   95% interval  items  unknown  gensim
    toy   75.0  25.0 to 100.0      4    25.0%   100.0
    """

    def __repr__(self) -> str:
        return tables.to_text(map(tables.score_row, self))

    def _repr_html_(self) -> str:
        return tables.to_html([tables.score_row(score) for score in self])


@dataclass(frozen=True, repr=False)
class Comparison:
    """The score of one model minus that of another on the same test set.

    It has the 95% confidence interval of the difference and the two-sided p-value of a paired bootstrap test.
    """

    difference: float
    interval: tuple[float, float]
    p_value: float

    @property
    def is_significant(self) -> bool:
        """Whether the p-value is below 0.05."""
        return self.p_value < 0.05

    def __repr__(self) -> str:
        low, high = (f"{100 * end:+.1f}" for end in self.interval)
        return f"<Comparison: {100 * self.difference:+.1f} ({low} to {high}), p = {self.p_value:.3f}>"

    def _repr_html_(self) -> str:
        low, high = self.interval
        scale = max(abs(low), abs(high), 1e-9)
        bar = display.interval_bar(low, self.difference, high, -scale, scale)
        cells = [f"{100 * self.difference:+.1f}", f"{100 * low:+.1f} to {100 * high:+.1f}", f"{self.p_value:.3f}", bar]
        return display.html_table(["difference", "95% interval", "p", ""], [cells])


def similarity(
    wv: KeyedVectors, test_set: SimilaritySet, unknown: Unknown | str = "zero", restrict_vocab: int | None = None
) -> Score:
    """Return Spearman's correlation between cosines and human ratings.

    See :func:`analogies` for the parameters.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> import numpy as np
    >>> from gensim_wordrank.evaluation import SimilaritySet, similarity
    >>> wv = KeyedVectors(2)
    >>> wv.add_vectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [-1, 1]], np.float32))
    >>> pairs = [("cat", "dog"), ("dog", "car"), ("cat", "car"), ("cat", "cup")]
    >>> score = similarity(wv, SimilaritySet("toy", pairs, np.array([4.0, 3.0, 2.0, 1.0])), unknown="skip")
    >>> score.value, score.unknown_share
    (1.0, 0.25)
    """
    unknown = validation.choice("unknown", Unknown, unknown)
    spellings = _spellings(wv, restrict_vocab)
    left, right = (np.array([spellings.get(pair[i].upper(), [-1])[0] for pair in test_set.pairs]) for i in (0, 1))
    known = (left >= 0) & (right >= 0)
    rows, cosines = unit(wv.vectors), np.zeros(len(known))
    cosines[known] = np.einsum("ij,ij->i", rows[left[known]], rows[right[known]], dtype=np.float64)
    return Score(test_set.name, "similarity", cosines, test_set.ratings, known, unknown)


def analogies(
    wv: KeyedVectors,
    test_set: AnalogySet,
    method: Method | str = "add",
    unknown: Unknown | str = "zero",
    restrict_vocab: int | None = None,
    block_bytes: int = 64 << 20,
) -> Score:
    """Return the share of analogies that are answered correctly. Words of the question are not accepted as answers.

    Parameters
    ----------
    wv : KeyedVectors
        The vectors. Upper and lower case are not distinguished, as in gensim.
    test_set : AnalogySet
        The questions.
    method : {"add", "mul"}
        3CosAdd or 3CosMul.
    unknown : {"zero", "skip"}
        Whether questions with unknown words count as wrong or are left out.
    restrict_vocab : int, optional
        Use only this many of the most frequent words; by default all, as in the paper (gensim: 300,000).
    block_bytes : int
        Memory for the scores of one batch of questions. It does not change the result.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> import numpy as np
    >>> from gensim_wordrank.evaluation import AnalogySet, analogies
    >>> wv = KeyedVectors(2)
    >>> wv.add_vectors(["man", "woman", "king", "queen"], np.array([[3, 0], [3, 1], [0, 3], [0.5, 3]], np.float32))
    >>> analogies(wv, AnalogySet("toy", [("man", "woman", "king")], [("queen",)], [""])).value
    1.0
    """
    method, unknown = validation.choice("method", Method, method), validation.choice("unknown", Unknown, unknown)
    spellings = _spellings(wv, restrict_vocab)
    asked = [[spellings.get(word.upper(), []) for word in question] for question in test_set.questions]
    accepted = [{i for word in answers for i in spellings.get(word.upper(), ())} for answers in test_set.answers]
    known = np.array([all(words) and bool(answers) for words, answers in zip(asked, accepted, strict=True)], bool)
    rows, correct = unit(wv.vectors[:restrict_vocab]), np.zeros(len(known))
    block = max(1, block_bytes // (4 * max(len(rows), 1)))
    for start in range(0, int(known.sum()), block):
        items = np.flatnonzero(known)[start : start + block]
        questions = np.array([[word[0] for word in asked[item]] for item in items])
        for item, scores in zip(items, _answer_scores(rows, questions, method), strict=True):
            scores[[i for word in asked[item] for i in word]] = -np.inf
            correct[item] = scores.argmax() in accepted[item]
    sections, is_syntactic = np.array(test_set.sections), test_set.is_syntactic()
    return Score(test_set.name, "analogy", correct, np.empty(0), known, unknown, sections, is_syntactic)


def _answer_scores(rows: Vectors, questions: NDArray[np.int64], method: Method) -> Vectors:
    """Return the score of every word as the answer to each question."""
    a, b, c = rows[questions[:, 0]], rows[questions[:, 1]], rows[questions[:, 2]]
    if method is Method.ADD:
        scores: Any = (b - a + c) @ rows.T
    else:
        # twice the formula, with each cosine shifted as (1 + cos) / 2
        scores = (1 + b @ rows.T) * (1 + c @ rows.T) / (1 + a @ rows.T + 2 * EPSILON)
    return np.asarray(scores, np.float32)


def evaluate(
    wv: KeyedVectors,
    test_sets: Iterable[SimilaritySet | AnalogySet],
    analogy_vectors: KeyedVectors | None = None,
    method: Method | str = "add",
    unknown: Unknown | str = "zero",
    restrict_vocab: int | None = None,
) -> Scores:
    """Return the scores on several test sets: similarity with `wv`, analogies with `analogy_vectors` (default: `wv`).

    The paper uses u for similarity and u + v for analogies. See :func:`analogies` for the other parameters.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation import bundled_sets, evaluate
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> [(score.name, score.kind) for score in evaluate(model.wv, bundled_sets(), model.vectors("sum"))]
    [('wordsim353', 'similarity'), ('simlex999', 'similarity'), ('questions-words', 'analogy')]
    """
    return Scores(
        similarity(wv, test_set, unknown, restrict_vocab)
        if isinstance(test_set, SimilaritySet)
        else analogies(wv if analogy_vectors is None else analogy_vectors, test_set, method, unknown, restrict_vocab)
        for test_set in test_sets
    )


def words_of(test_sets: Iterable[SimilaritySet | AnalogySet], wv: KeyedVectors) -> list[str]:
    """Return the words of similarity sets, in lower case if all words of `wv` are.

    Pass them to :meth:`WordRank.with_words <gensim_wordrank.WordRank.with_words>` to score unknown words, too.
    """
    pairs = [pair for test_set in test_sets if isinstance(test_set, SimilaritySet) for pair in test_set.pairs]
    is_lower = all(word == word.lower() for word in map(str, wv.index_to_key))
    return [word.lower() if is_lower else word for pair in pairs for word in pair]


def compare(first: Score, second: Score) -> Comparison:
    """Compare two models on the same test set with a paired bootstrap test.

    Items that one of the models leaves out are left out for both.
    """
    identities = [
        (score.name, score.kind, score.unknown, len(score.known), score.ratings.tobytes()) for score in (first, second)
    ]
    if identities[0] != identities[1]:
        raise ValueError("'first' and 'second' must be scores on the same set with the same value of 'unknown'.")
    items = np.intersect1d(first.items, second.items)

    def difference(chosen: NDArray[np.int64]) -> float:
        return first.value_on(chosen) - second.value_on(chosen)

    differences = _resample(items, difference)
    # add 1 so that no p-value is 0; an undefined difference may favour either model
    undefined = RESAMPLES - np.sum(np.isfinite(differences))
    in_tail = min(np.sum(differences <= 0), np.sum(differences >= 0)) + undefined + 1
    return Comparison(difference(items), _interval(differences, 0.95), min(1.0, 2 * float(in_tail) / (RESAMPLES + 1)))


def _spellings(wv: KeyedVectors, restrict_vocab: int | None) -> dict[str, list[int]]:
    """Map each word in upper case to the indices of all its spellings, the most frequent first."""
    if restrict_vocab is not None:
        validation.positive_integer("restrict_vocab", restrict_vocab)
    spellings: dict[str, list[int]] = {}
    for i, word in enumerate(wv.index_to_key[:restrict_vocab]):
        spellings.setdefault(str(word).upper(), []).append(i)
    return spellings


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / scale) if scale > 0 else float("nan")


def _resample(items: NDArray[np.int64], statistic: Callable[[NDArray[np.int64]], float]) -> NDArray[np.float64]:
    """Return the statistic of bootstrap samples of the items."""
    random = np.random.default_rng(0)
    return np.array([statistic(random.choice(items, len(items))) for _ in range(RESAMPLES if len(items) else 0)])


def _interval(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    if np.isnan(values).all():
        return float("nan"), float("nan")
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)

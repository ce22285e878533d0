"""A scikit-learn transformer that turns each text into one vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gensim_wordrank._utils import validation
from gensim_wordrank.model import WordRank
from gensim_wordrank.text import corpus
from gensim_wordrank.types import Vectors

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError(
        f"WordRankVectorizer needs {error.name}, which is not installed. Run: pip install 'gensim-wordrank[sklearn]'"
    ) from error

if TYPE_CHECKING:
    from typing_extensions import Self


class WordRankVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn word vectors from token lists, and turn each text into the mean vector of its words.

    Parameters
    ----------
    vector_size, window, min_count, epochs, seed, workers
        As in :class:`~gensim_wordrank.WordRank`.
    which, style : str
        Which vectors to use, as in :meth:`~gensim_wordrank.WordRank.vectors`.
    predict_unknown : bool
        Train with `subwords`, and use the vectors that n-grams predict for unknown words instead of ignoring them.
        Needs ``which="word"`` and ``style="raw"``.
    options : dict, optional
        Other parameters of WordRank.

    Attributes
    ----------
    model_ : WordRank
        The trained model.
    vectors_ : gensim.models.KeyedVectors
        The vectors in use.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank.sklearn import WordRankVectorizer
    >>> WordRankVectorizer(vector_size=5, min_count=1).fit_transform(common_texts).shape
    (9, 5)
    """

    def __init__(
        self, vector_size: int = 100, window: int = 15, min_count: int = 5, epochs: int = 10, seed: int = 1,
        workers: int = 3, which: str = "word", style: str = "raw",
        predict_unknown: bool = False, options: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.vector_size, self.window, self.min_count, self.epochs = vector_size, window, min_count, epochs
        self.seed, self.workers, self.which, self.style, self.options = seed, workers, which, style, options
        self.predict_unknown = predict_unknown

    def fit(self, X: Iterable[Sequence[str]], y: Any = None) -> Self:
        """Train on token lists; `y` is ignored."""
        parameters = {name: getattr(self, name) for name in ("vector_size", "window", "min_count", "epochs", "seed")}
        if self.predict_unknown:
            if (self.which, self.style) != ("word", "raw"):
                raise validation.parameter_error("predict_unknown", "False unless which='word' and style='raw'", True)
            parameters["subwords"] = True
        self.model_ = WordRank(X, workers=self.workers, **parameters, **(self.options or {}))
        self.vectors_ = self.model_.vectors(self.which, self.style)
        self._n_features_out = self.vectors_.vector_size
        return self

    def transform(self, X: Iterable[Sequence[str]]) -> Vectors:
        """Return one row per text: the mean vector of its known words, or zeros if it has none."""
        check_is_fitted(self)
        texts, wv = list(corpus.validate_sentences(X)), self.vectors_
        if self.predict_unknown:
            wv = self.model_.with_words(word for text in texts for word in text)
        index = wv.key_to_index
        indices = [[index[word] for word in text if word in index] for text in texts]
        zeros = np.zeros(wv.vector_size, np.float32)
        means = [wv.vectors[rows].mean(axis=0) if rows else zeros for rows in indices]
        return np.array(means, np.float32).reshape(len(indices), wv.vector_size)

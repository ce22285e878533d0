"""scikit-learn wrappers: `GridSearchCV` over a transformer that passes parameters by position and name."""

import inspect

import tasks
from gensim.models import Word2Vec
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler


class W2VTransformer(TransformerMixin, BaseEstimator):
    """A wrapper in the style of those that gensim 3 had."""

    def __init__(self, vector_size=100, alpha=0.025, window=5, sg=0, min_count=5):
        self.vector_size, self.alpha, self.window, self.sg, self.min_count = vector_size, alpha, window, sg, min_count

    def fit(self, X, y=None):
        """Train."""
        known = inspect.signature(Word2Vec).parameters
        others = {name: value for name, value in {"sg": self.sg, "epochs": 10}.items() if name in known}
        self.model_ = Word2Vec(X, None, self.vector_size, self.alpha, self.window, self.min_count, **others)
        return self

    def transform(self, X):
        """Return mean vectors."""
        return tasks.mean_vectors(X, self.model_.wv)


def run():
    """Classify passages."""
    texts, labels = tasks.passages()
    pipeline = Pipeline([("w2v", W2VTransformer()), ("scale", StandardScaler()), ("lr", LogisticRegression(C=0.1))])
    search = GridSearchCV(pipeline, {"w2v__window": [5.0, 10.0], "w2v__min_count": [2, 5]}, cv=2).fit(texts, labels)
    return "accuracy", 100 * search.best_score_

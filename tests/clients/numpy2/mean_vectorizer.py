"""blog posts: a scikit-learn pipeline with `MeanEmbeddingVectorizer(dict(zip(wv.index_to_key, wv.vectors)))`."""

import numpy as np
import tasks
from gensim.models import Word2Vec
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline


class MeanEmbeddingVectorizer:
    """The class of the posts."""

    def __init__(self, word2vec):
        self.word2vec = word2vec
        self.dim = len(next(iter(word2vec.values())))

    def fit(self, X, y):
        """Learn nothing."""
        return self

    def transform(self, X):
        """Return mean vectors."""
        known, zeros = self.word2vec, [np.zeros(self.dim)]
        return np.array([np.mean([known[w] for w in words if w in known] or zeros, axis=0) for words in X])


def run():
    """Classify passages with extremely randomized trees; vectors are trained on the passages alone, min_count=1."""
    texts, labels = tasks.passages()
    model = Word2Vec(texts, vector_size=100, window=5, min_count=1, workers=2)
    w2v = dict(zip(model.wv.index_to_key, model.wv.vectors, strict=True))
    trees = ExtraTreesClassifier(n_estimators=100, random_state=tasks.SEED)
    pipeline = Pipeline([("vectorizer", MeanEmbeddingVectorizer(w2v)), ("trees", trees)])
    train, test, train_labels, test_labels = train_test_split(texts, labels, test_size=0.5, random_state=tasks.SEED)
    return "accuracy", 100 * pipeline.fit(train, train_labels).score(test, test_labels)

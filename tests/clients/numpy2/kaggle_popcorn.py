"""Kaggle's "Bags of Popcorn" tutorial: 300 dimensions, `set(wv.index_to_key)`, mean vectors and a random forest."""

import numpy as np
import tasks
from gensim.models import word2vec
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score


def average(words, model, size):
    """Return the mean vector of the known words, as the tutorial writes it."""
    total, known = np.zeros(size, "float32"), 0.0
    names = set(model.wv.index_to_key)
    for word in words:
        if word in names:
            known += 1.0
            total = np.add(total, model.wv[word])
    return np.divide(total, max(known, 1.0))


def run():
    """Classify passages."""
    model = word2vec.Word2Vec(
        tasks.sentences(), workers=4, vector_size=300, min_count=10, window=10, sample=1e-3, epochs=5
    )
    model.init_sims(replace=True)
    texts, labels = tasks.passages()
    features = [average(text, model, 300) for text in texts]
    forest = RandomForestClassifier(n_estimators=100, random_state=tasks.SEED)
    return "accuracy", 100 * cross_val_score(forest, features, labels, cv=3).mean()

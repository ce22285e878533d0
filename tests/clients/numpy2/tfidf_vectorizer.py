"""blog posts: `TfidfEmbeddingVectorizer`, with `wv.key_to_index`, `wv.vectors.shape` and `wv.get_vecattr`."""

from collections import defaultdict

import numpy as np
import tasks
from gensim.models import Word2Vec
from sklearn.feature_extraction.text import TfidfVectorizer


def run():
    """Classify passages by TF-IDF-weighted mean vectors; vectors are trained on all articles."""
    texts, labels = tasks.passages()
    model = Word2Vec(tasks.sentences(), vector_size=100, window=5, min_count=2, workers=2, sg=1, epochs=5)
    tfidf = TfidfVectorizer(analyzer=lambda text: text).fit(texts)
    weights = defaultdict(lambda: max(tfidf.idf_), zip(tfidf.get_feature_names_out(), tfidf.idf_, strict=True))
    assert model.wv.vectors.shape == (len(model.wv.key_to_index), model.vector_size)
    assert model.wv.get_vecattr("the", "count") == max(model.wv.expandos["count"])
    zeros = [np.zeros(model.vector_size)]
    known = model.wv.key_to_index
    features = [np.mean([model.wv[w] * weights[w] for w in text if w in known] or zeros, axis=0) for text in texts]
    return "accuracy", tasks.accuracy(features, labels)

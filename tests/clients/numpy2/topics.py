"""Notebooks of clusters: k-means on mean vectors, UMAP for the picture."""

import tasks
import umap
from gensim.models import Word2Vec
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score


def run():
    """Compare clusters of passages with the articles."""
    model = Word2Vec(tasks.sentences(), vector_size=100, min_count=5, workers=2)
    texts, labels = tasks.passages()
    vectors = tasks.mean_vectors(texts, model.wv)
    clusters = KMeans(len(set(labels)), n_init=3, random_state=tasks.SEED).fit_predict(vectors)
    assert umap.UMAP(n_epochs=20).fit_transform(model.wv.vectors[:300]).shape == (300, 2)
    return "NMI x 100", 100 * normalized_mutual_info_score(labels, clusters)

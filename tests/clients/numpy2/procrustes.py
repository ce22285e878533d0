"""histwords scripts: `smart_procrustes_align_gensim`, which changes `wv.vectors`, `wv.key_to_index` and counts."""

import numpy as np
import tasks
from gensim.models import Word2Vec


def intersection_align(models):
    """Keep the common words of two models, by frequency."""
    common = set(models[0].wv.index_to_key) & set(models[1].wv.index_to_key)
    common = sorted(common, key=lambda w: -sum(m.wv.get_vecattr(w, "count") for m in models))
    for model in models:
        rows = [model.wv.key_to_index[word] for word in common]
        counts = [model.wv.get_vecattr(word, "count") for word in common]
        model.wv.vectors = model.wv.vectors[rows]
        model.wv.key_to_index = {word: i for i, word in enumerate(common)}
        model.wv.index_to_key = common
        model.wv.expandos["count"] = np.array(counts)
        model.wv.fill_norms(force=True)


def run():
    """Align models of two halves of the text, and find each word in the other."""
    halves = tasks.sentences()[::2], tasks.sentences()[1::2]
    models = [Word2Vec(half, vector_size=50, min_count=10, sg=1, workers=2, epochs=10) for half in halves]
    intersection_align(models)
    base, other = (model.wv.get_normed_vectors() for model in models)
    left, _, right = np.linalg.svd(other.T @ base)
    models[1].wv.vectors = other @ (left @ right)
    models[1].wv.fill_norms(force=True)
    words = models[0].wv.index_to_key[:500]
    found = [models[1].wv.similar_by_vector(models[0].wv[word], topn=10) for word in words]
    return "among ten", 100 * np.mean([word in dict(each) for word, each in zip(words, found, strict=True)])

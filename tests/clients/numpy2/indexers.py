"""Annoy, usearch, hnswlib and Faiss: indices of `model.wv.vectors`, and gensim's `AnnoyIndexer(model, 50)`."""

import faiss
import hnswlib
import numpy as np
import tasks
from gensim.models import Word2Vec
from gensim.similarities.annoy import AnnoyIndexer
from usearch.index import Index


def run():
    """Count how many of the ten exact neighbours four indices find."""
    model = Word2Vec(tasks.sentences(), vector_size=50, min_count=5, workers=2)
    wv = model.wv
    vectors = np.ascontiguousarray(wv.get_normed_vectors())
    asked = wv.index_to_key[100:200]
    rows = np.arange(100, 200)
    exact = [{wv.key_to_index[word] for word, _ in wv.most_similar(word, topn=10)} for word in asked]
    annoy = AnnoyIndexer(model, num_trees=50)
    flat = faiss.IndexHNSWFlat(vectors.shape[1], 32, faiss.METRIC_INNER_PRODUCT)
    flat.add(vectors)
    flat.hnsw.efSearch = 100
    usearch = Index(ndim=vectors.shape[1], metric="cos")
    usearch.add(np.arange(len(vectors)), vectors)
    graph = hnswlib.Index("cosine", vectors.shape[1])
    graph.init_index(len(vectors), ef_construction=100, M=16, random_seed=tasks.SEED)
    graph.add_items(vectors, num_threads=1)
    graph.set_ef(100)
    found = [
        [[wv.key_to_index[word] for word, _ in wv.most_similar(word, topn=11, indexer=annoy)] for word in asked],
        flat.search(vectors[rows], 11)[1],
        usearch.search(vectors[rows], 11).keys,
        graph.knn_query(vectors[rows], 11)[0],
    ]
    hits = [len(each & set(map(int, row))) for rows in found for each, row in zip(exact, rows, strict=True)]
    return "found", 10 * np.mean(hits)

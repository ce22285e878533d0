"""search scripts: gensim's BM25, with queries expanded by `wv.most_similar`."""

import numpy as np
import tasks
from gensim.corpora import Dictionary
from gensim.models import OkapiBM25Model, TfidfModel, Word2Vec
from gensim.similarities import SparseMatrixSimilarity


def run():
    """Find a passage of the same article with queries of five words."""
    model = Word2Vec(tasks.sentences(), vector_size=100, window=10, min_count=5, sg=1, epochs=5, workers=2)
    texts, labels = tasks.passages()
    dictionary = Dictionary(texts)
    bm25 = OkapiBM25Model(dictionary=dictionary)
    bags = bm25[[dictionary.doc2bow(text) for text in texts[1::2]]]
    index = SparseMatrixSimilarity(
        bags, num_docs=len(texts) // 2, num_terms=len(dictionary), normalize_queries=False, normalize_documents=False
    )
    binary = TfidfModel(dictionary=dictionary, smartirs="bnn")
    hits, asked = 0, list(zip(texts[::2], labels[::2], strict=True))[::4]
    for text, label in asked:
        rare = sorted({word for word in text if word in model.wv}, key=lambda w: model.wv.get_vecattr(w, "count"))[:5]
        words = rare + [word for word, _ in model.wv.most_similar(positive=rare, topn=20)]
        scores = index[binary[dictionary.doc2bow(words)]]
        hits += labels[1::2][int(np.argmax(scores))] == label
    return "same article", 100 * hits / len(asked)

"""gensim's tutorial on Word Mover's Distance: `WmdSimilarity` over passages."""

import tasks
from gensim.models import Word2Vec
from gensim.similarities import WmdSimilarity


def run():
    """Find passages of the same of eight articles."""
    model = Word2Vec(tasks.sentences(), vector_size=50, window=5, min_count=5, sg=1, workers=2)
    texts, labels = tasks.passages()
    n = 8 * tasks.PASSAGES_PER_ARTICLE  # chance is one in eight
    texts, labels = texts[:n:4], labels[:n:4]
    index = WmdSimilarity(texts[1::2], model.wv, num_best=5)
    hits = [
        labels[1::2][i] == label for text, label in zip(texts[::2], labels[::2], strict=True) for i, _ in index[text]
    ]
    return "same article", 100 * sum(hits) / len(hits)

"""item2vec scripts: baskets with `window=100, min_count=1, sg=1, negative=20, sample=0`."""

import tasks
from gensim.models import Word2Vec


def run():
    """Recommend an item for the rest of a basket."""
    baskets = [[str(item) for item in basket] for basket in tasks.baskets()[:3000]]
    model = Word2Vec(baskets, vector_size=50, window=100, min_count=1, sg=1, hs=0, negative=20, sample=0, epochs=10)
    return "recall@10", tasks.recall(model.wv)

"""StellarGraph's demos: `Word2Vec(str_walks, vector_size=128, window=5, min_count=0, sg=1, workers=2, epochs=1)`."""

import tasks
from gensim.models import Word2Vec


def run():
    """Classify the nodes of a graph."""
    graph, _ = tasks.digits()
    model = Word2Vec(tasks.walks(graph), vector_size=128, window=5, min_count=0, sg=1, workers=2, epochs=1)
    order = [model.wv.index_to_key.index(str(node)) for node in range(len(graph))]
    return "node accuracy", tasks.node_accuracy(model.wv.vectors[order])

"""node2vec: `Node2Vec(...).fit(window=10, min_count=1, batch_words=4)`, as its README does."""

import tasks
from node2vec import Node2Vec


def run():
    """Classify the nodes of a graph."""
    graph, _ = tasks.digits()
    model = Node2Vec(graph, dimensions=64, walk_length=30, num_walks=10, workers=1, seed=tasks.SEED, quiet=True).fit(
        window=10, min_count=1, batch_words=4, seed=tasks.SEED
    )
    model.wv.most_similar("2")
    return "node accuracy", tasks.node_accuracy([model.wv[str(node)] for node in range(len(graph))])

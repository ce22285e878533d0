"""fastnode2vec: a subclass of Word2Vec that walks in `_do_train_job`."""

import tasks
from fastnode2vec import Graph, Node2Vec


def run():
    """Classify the nodes of a graph."""
    graph, _ = tasks.digits()
    edges = [(str(a), str(b)) for a, b in graph.edges]
    model = Node2Vec(Graph(edges, directed=False, weighted=False), dim=64, walk_length=40, window=10, workers=1)
    model.train(epochs=10, verbose=False)
    return "node accuracy", tasks.node_accuracy([model.wv[str(node)] for node in range(len(graph))])

"""node2vec: links predicted from `HadamardEmbedder(keyed_vectors=model.wv)`."""

import numpy as np
import tasks
from node2vec import Node2Vec
from node2vec.edges import HadamardEmbedder


def run():
    """Tell removed links from pairs without a link."""
    graph, _ = tasks.digits()
    graph, random = graph.copy(), np.random.RandomState(tasks.SEED)
    links = list(graph.edges)
    removed = [links[i] for i in random.choice(len(links), 300, replace=False)]
    graph.remove_edges_from(removed)
    absent = [tuple(pair) for pair in random.randint(500, size=(400, 2)).tolist() if not graph.has_edge(*pair)][:300]
    model = Node2Vec(graph, dimensions=32, walk_length=20, num_walks=10, workers=1, seed=tasks.SEED, quiet=True).fit(
        window=5, min_count=0, sg=1, epochs=2
    )
    edges = HadamardEmbedder(keyed_vectors=model.wv)
    features = [edges[(str(a), str(b))] for a, b in removed + absent]
    return "link AUC", tasks.auc(features, [1] * len(removed) + [0] * len(absent))

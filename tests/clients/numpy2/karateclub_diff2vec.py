"""karateclub: `Diff2Vec()`, diffusion trees with hs=1."""

import tasks
from karateclub import Diff2Vec


def run():
    """Classify the nodes of a graph."""
    import networkx

    graph, _ = tasks.digits()
    graph = graph.copy()
    components = list(networkx.connected_components(graph))
    graph.add_edges_from((min(components[0]), min(each)) for each in components[1:])  # it needs a connected graph
    model = Diff2Vec(diffusion_cover=40, workers=1, seed=tasks.SEED)
    model.fit(graph)
    return "node accuracy", tasks.node_accuracy(model.get_embedding())

"""pecanpy: `SparseOTF.from_mat(...).embed(dim=64, num_walks=10, walk_length=40)`, which runs one epoch."""

import networkx
import tasks
from pecanpy.pecanpy import SparseOTF


def run():
    """Classify the nodes of a graph."""
    graph, _ = tasks.digits()
    nodes = sorted(graph)
    matrix = networkx.to_numpy_array(graph, nodelist=nodes)
    walker = SparseOTF.from_mat(matrix, list(map(str, nodes)), p=1, q=0.5, workers=1, random_state=tasks.SEED)
    return "node accuracy", tasks.node_accuracy(walker.embed(dim=64, num_walks=10, walk_length=40))

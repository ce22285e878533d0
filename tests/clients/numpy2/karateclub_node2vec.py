"""karateclub: `Node2Vec(q=0.5)`."""

import tasks
from karateclub import Node2Vec


def run():
    """Classify the nodes of a graph."""
    model = Node2Vec(walk_number=5, walk_length=20, q=0.5, workers=1, seed=tasks.SEED)
    model.fit(tasks.digits()[0])
    return "node accuracy", tasks.node_accuracy(model.get_embedding())

"""karateclub: `Walklets()`, four models with window=1."""

import tasks
from karateclub import Walklets


def run():
    """Classify the nodes of a graph."""
    model = Walklets(walk_length=40, workers=1, seed=tasks.SEED)
    model.fit(tasks.digits()[0])
    return "node accuracy", tasks.node_accuracy(model.get_embedding())

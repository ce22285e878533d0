"""karateclub: `DeepWalk()`, without its pins of NumPy and pandas; learning_rate=0.05, epochs=1."""

import tasks
from karateclub import DeepWalk


def run():
    """Classify the nodes of a graph."""
    model = DeepWalk(walk_length=40, workers=1, seed=tasks.SEED)
    model.fit(tasks.digits()[0])
    return "node accuracy", tasks.node_accuracy(model.get_embedding())

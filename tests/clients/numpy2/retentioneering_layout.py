"""retentioneering: the layout of a graph of events, `GraphLayout._embed_events`."""

import numpy as np
import tasks
from retentioneering.tools.graph_layout import GraphLayout


def run():
    """Tell which of two sections of a shop an event belongs to, by its nearest event."""
    random = np.random.RandomState(0)
    paths = []
    for i in range(600):
        section = i % 2
        paths.append(["start", *(f"event{section}_{random.randint(12)}" for _ in range(random.randint(4, 12))), "end"])
    vectors, names = GraphLayout._embed_events(None, paths, 16, tasks.SEED)
    order = [i for i, name in names.items() if name.startswith("event")]
    unit = vectors[order] / np.linalg.norm(vectors[order], axis=1, keepdims=True)
    scores = unit @ unit.T
    np.fill_diagonal(scores, -2)
    nearest = scores.argmax(axis=1)
    same = [names[order[i]][5] == names[order[nearest[i]]][5] for i in range(len(order))]
    return "same section", 100 * np.mean(same)

"""GraphEmbedding: its DeepWalk, `kwargs["sentences"] = walks; min_count=0, sg=1, hs=1, window=5, epochs=5`."""

import tasks
from gensim.models import Word2Vec


def run():
    """Classify the nodes of a graph."""
    graph, _ = tasks.digits()
    kwargs = {"sentences": tasks.walks(graph), "min_count": 0, "vector_size": 128}
    kwargs |= {"sg": 1, "hs": 1, "workers": 3, "window": 5, "epochs": 5}
    model = Word2Vec(**kwargs)
    vectors = {word: model.wv[word] for word in map(str, graph)}
    return "node accuracy", tasks.node_accuracy([vectors[str(node)] for node in range(len(graph))])

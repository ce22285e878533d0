"""pyRDF2Vec: `RDF2VecTransformer(Word2Vec(epochs=10), walkers=[RandomWalker(4, 30)])`, without its pins."""

import numpy as np
import tasks
from pyrdf2vec import RDF2VecTransformer
from pyrdf2vec.embedders import Word2Vec
from pyrdf2vec.graphs import KG, Vertex
from pyrdf2vec.walkers import RandomWalker

PREFIX = "http://example.org/"


def run():
    """Tell the field of researchers from a generated graph of papers, topics and universities."""
    random = np.random.RandomState(0)
    graph, fields = KG(), []

    def link(subject, predicate, to):
        subject, to = Vertex(PREFIX + subject), Vertex(PREFIX + to)
        edge = Vertex(PREFIX + predicate, predicate=True, vprev=subject, vnext=to)
        graph.add_walk(subject, edge, to)

    for i in range(300):
        field = i % 5
        fields.append(field)
        link(f"person{i}", "worksAt", f"university{random.randint(20)}")
        for _ in range(3):
            paper = f"paper{field * 100 + random.randint(100)}"
            link(f"person{i}", "wrote", paper)
            topic = field if random.rand() < 0.8 else random.randint(5)
            link(paper, "about", f"topic{topic * 6 + random.randint(6)}")
    entities = [f"{PREFIX}person{i}" for i in range(300)]
    transformer = RDF2VecTransformer(
        Word2Vec(epochs=10, vector_size=50, workers=1, seed=tasks.SEED),
        walkers=[RandomWalker(4, 30, random_state=tasks.SEED)],
    )
    vectors, _ = transformer.fit_transform(graph, entities)
    return "accuracy", tasks.accuracy(vectors, fields)

"""OWL2Vec* scripts: sentences of an ontology as tuples and dict values, `min_count=1, sg=1, window=5`."""

import numpy as np
import tasks
from gensim.models import Word2Vec


def run():
    """Tell the top class of 240 generated classes from axioms, labels and instances."""
    random = np.random.RandomState(0)
    parents = {f"class{i}": f"branch{i % 24}" for i in range(240)}
    tops = {f"branch{i}": f"top{i % 4}" for i in range(24)}
    axioms = {}
    for name, parent in parents.items():
        axioms[name] = {"sub": name, "relation": "subClassOf", "super": parent}.values()
    sentences = list(axioms.values()) + [(name, "subClassOf", top) for name, top in tops.items()]
    for name, parent in parents.items():
        for _ in range(8):
            sentences.append((f"instance{random.randint(2000)}", "type", name, "partOf", tops[parent], parent))
    model = Word2Vec(sentences, vector_size=50, window=5, min_count=1, sg=1, epochs=20, negative=10, seed=tasks.SEED)
    names = list(parents)
    return "accuracy", tasks.accuracy([model.wv[name] for name in names], [tops[parents[name]] for name in names])

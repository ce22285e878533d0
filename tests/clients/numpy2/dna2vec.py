"""dna2vec and BioVec scripts: overlapping 5-mers of generated sequences as words, `min_count=1`, sets as sentences."""

import numpy as np
import tasks
from gensim.models import Word2Vec


def kmers(sequence):
    """Return the overlapping 5-mers."""
    return tuple(sequence[i : i + 5] for i in range(len(sequence) - 4))


def run():
    """Tell families of sequences that share motifs."""
    random = np.random.RandomState(0)
    motifs = [["".join(random.choice(list("ACGT"), 12)) for _ in range(6)] for _ in range(6)]
    sequences, labels = [], []
    for i in range(900):
        parts = ["".join(random.choice(list("ACGT"), 20)) for _ in range(6)]
        for _ in range(3):
            parts.insert(random.randint(len(parts)), motifs[i % 6][random.randint(6)])
        sequences.append(kmers("".join(parts)))
        labels.append(i % 6)
    model = Word2Vec(sequences, vector_size=64, window=10, min_count=1, sg=1, epochs=5, workers=2, seed=tasks.SEED)
    return "accuracy", tasks.accuracy(tasks.mean_vectors(sequences, model.wv), labels)

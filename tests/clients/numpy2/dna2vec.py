"""dna2vec and BioVec scripts: 5-mers of generated sequences as words, `min_count=1`, tuples as sentences."""

import tasks
from gensim.models import Word2Vec


def run():
    """Tell families of sequences that share motifs."""
    sequences, labels = tasks.kmers()
    model = Word2Vec(sequences, vector_size=64, window=10, min_count=1, sg=1, epochs=5, workers=2, seed=tasks.SEED)
    return "accuracy", tasks.accuracy(tasks.mean_vectors(sequences, model.wv), labels)

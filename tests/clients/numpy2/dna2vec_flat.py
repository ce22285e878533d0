"""the same scripts of 5-mers with `shrink_windows=False`, which counts all words of a window alike."""

import tasks
from gensim.models import Word2Vec


def run():
    """Tell families of sequences that share motifs."""
    sequences, labels = tasks.kmers()
    model = Word2Vec(
        sequences, vector_size=64, window=10, min_count=1, sg=1, epochs=5, shrink_windows=False, seed=tasks.SEED
    )
    return "accuracy", tasks.accuracy(tasks.mean_vectors(sequences, model.wv), labels)

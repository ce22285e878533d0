"""Keras tutorials: a matrix for `Embedding`, `len(wv.key_to_index)`, `wv.vectors.shape[1]`, `wv.add_vectors`."""

import numpy as np
import tasks
from gensim.models import Word2Vec
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier


def run():
    """Classify passages with a small network on the mean of matrix rows; unknown words have a vector of their own."""
    model = Word2Vec(min_count=3, vector_size=100, workers=2)
    model.build_vocab(tasks.sentences(), progress_per=10000)
    model.train(corpus_iterable=tasks.sentences(), total_examples=model.corpus_count, epochs=5)
    wv = model.wv
    wv.add_vectors(["<unk>"], [wv.vectors.mean(axis=0)])
    matrix = np.zeros((len(wv.key_to_index) + 1, wv.vectors.shape[1]))
    for word, i in wv.key_to_index.items():
        matrix[i + 1] = wv.get_vector(word)
    texts, labels = tasks.passages()
    unknown = wv.key_to_index["<unk>"]
    features = [matrix[[wv.key_to_index.get(word, unknown) + 1 for word in text]].mean(axis=0) for text in texts]
    train, test, train_labels, test_labels = train_test_split(features, labels, test_size=0.5, random_state=tasks.SEED)
    network = MLPClassifier((50,), max_iter=60, random_state=tasks.SEED)
    return "accuracy", 100 * network.fit(train, train_labels).score(test, test_labels)

"""old tutorials: `for epoch in range(10): model.train(epochs=1); model.alpha -= 0.002`, with shuffled sentences."""

import random

import tasks
from gensim.models import Word2Vec


def run():
    """Classify passages."""
    sentences = tasks.sentences()
    model = Word2Vec(vector_size=100, alpha=0.025, min_alpha=0.025, window=5, min_count=5, workers=2)
    model.build_vocab(sentences)
    for _ in range(10):
        random.shuffle(sentences)
        model.train(sentences, total_examples=model.corpus_count, epochs=1)
        model.alpha -= 0.002
        model.min_alpha = model.alpha
    return "accuracy", tasks.passage_accuracy(model.wv)

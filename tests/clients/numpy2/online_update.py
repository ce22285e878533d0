"""gensim's online training: `save`, `load`, `build_vocab(more, update=True)` and `train(more)`."""

import tempfile

import tasks
from gensim.models import Word2Vec


def run():
    """Train on half of the articles and go on with the other half."""
    articles = tasks.articles()
    first = [sentence for article in articles[::2] for sentence in article]
    second = [sentence for article in articles[1::2] for sentence in article]
    model = Word2Vec(first, vector_size=100, window=5, min_count=5, sg=1, workers=2)
    with tempfile.TemporaryDirectory() as directory:
        model.save(f"{directory}/word2vec.model")
        model = Word2Vec.load(f"{directory}/word2vec.model")
    model.build_vocab(second, update=True)
    model.train(second, total_examples=model.corpus_count, epochs=model.epochs)
    return "accuracy", tasks.passage_accuracy(model.wv)

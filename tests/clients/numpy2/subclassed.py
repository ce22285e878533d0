"""a subclass of Word2Vec with parameters and methods of its own, saved and loaded through both classes."""

import tempfile

import tasks
from gensim.models import Word2Vec


class ArticleVectors(Word2Vec):
    """Vectors with stop words, as many projects have them."""

    def __init__(self, texts=None, *, stop_words=(), **options):
        self.stop_words = frozenset(stop_words)
        texts = texts and [[word for word in text if word not in self.stop_words] for text in texts]
        super().__init__(sentences=texts, **options)

    def document(self, words):
        """Return the mean vector of a text."""
        return self.wv.get_mean_vector([word for word in words if word not in self.stop_words])


def run():
    """Classify passages."""
    model = ArticleVectors(
        tasks.sentences(), stop_words=["the", "of", "and"], vector_size=100, window=5, min_count=5, sg=1, workers=2
    )
    with tempfile.TemporaryDirectory() as directory:
        model.save(f"{directory}/model")
        assert "the" not in Word2Vec.load(f"{directory}/model").wv
        model = ArticleVectors.load(f"{directory}/model")
    texts, labels = tasks.passages()
    return "accuracy", tasks.accuracy([model.document(text) for text in texts], labels)

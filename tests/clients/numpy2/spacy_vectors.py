"""spaCy: `nlp.vocab.set_vector(word, wv[word])`, and a classifier on `doc.vector`."""

import spacy
import tasks
from gensim.models import Word2Vec


def run():
    """Classify passages."""
    model = Word2Vec(tasks.sentences(), vector_size=100, min_count=5, workers=2)
    nlp = spacy.blank("en")
    nlp.vocab.reset_vectors(width=model.vector_size)
    for word in model.wv.index_to_key:
        nlp.vocab.set_vector(word, model.wv[word])
    texts, labels = tasks.passages()
    return "accuracy", tasks.accuracy([nlp.make_doc(" ".join(text)).vector for text in texts], labels)

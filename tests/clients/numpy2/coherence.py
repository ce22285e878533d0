"""gensim's `CoherenceModel(topics=..., coherence="c_w2v", keyed_vectors=model.wv)`."""

import numpy as np
import tasks
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel, TfidfModel, Word2Vec
from sklearn.metrics import roc_auc_score


def run():
    """Tell topics of ten words of one article from topics of ten words of ten articles."""
    model = Word2Vec(tasks.sentences(), vector_size=100, window=5, min_count=5, workers=2)
    texts = [[word for sentence in article for word in sentence if word in model.wv] for article in tasks.articles()]
    dictionary = Dictionary(texts)
    tfidf = TfidfModel(dictionary=dictionary)
    best = [
        sorted(tfidf[dictionary.doc2bow(text)], key=lambda pair: -pair[1])[:10] for text in texts if len(text) > 500
    ]
    pure = [[dictionary[i] for i, _ in words] for words in best]
    random = np.random.RandomState(tasks.SEED)
    mixed = [[pure[i][j] for j, i in enumerate(random.choice(len(pure), 10, replace=False))] for _ in pure]
    coherence = CoherenceModel(
        topics=pure + mixed, texts=texts, dictionary=dictionary, coherence="c_w2v", keyed_vectors=model.wv
    )
    found = coherence.get_coherence_per_topic()
    return "AUC", 100 * roc_auc_score([1] * len(pure) + [0] * len(mixed), found)

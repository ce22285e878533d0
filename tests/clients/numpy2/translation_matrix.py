"""gensim's `TranslationMatrix` between the vectors of two halves of a text."""

import tasks
from gensim.models import TranslationMatrix, Word2Vec


def run():
    """Translate words of one half into the other, where each should be its own translation."""
    halves = tasks.sentences()[::2], tasks.sentences()[1::2]
    models = [Word2Vec(half, vector_size=50, min_count=20, sg=1, epochs=10, workers=2) for half in halves]
    words = [word for word in models[0].wv.index_to_key if word in models[1].wv]
    matrix = TranslationMatrix(models[0].wv, models[1].wv, [(word, word) for word in words[200:]])
    asked = words[:200]
    found = matrix.translate(asked, topn=10, source_lang_vec=models[0].wv, target_lang_vec=models[1].wv)
    return "among ten", 100 * sum(word in found[word] for word in asked) / len(asked)

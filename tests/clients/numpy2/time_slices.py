"""scripts on changes of meaning: a copy of one model is trained on each slice, with `build_vocab(update=True)`."""

import copy

import tasks
from gensim.models import Word2Vec


def run():
    """Find the words whose contexts were exchanged in the second slice, among the words that moved most."""
    sentences = tasks.sentences()
    base = Word2Vec(sentences, vector_size=50, window=5, min_count=10, sg=1, epochs=5, workers=2)
    chosen = base.wv.index_to_key[150:250:5]
    swap = dict(zip(chosen, reversed(chosen), strict=True))
    models = []
    for names in ({}, swap):
        model = copy.deepcopy(base)
        new = [[names.get(word, word) for word in sentence] for sentence in sentences]
        model.build_vocab(new, update=True)
        model.train(new, total_examples=len(new), epochs=5)
        models.append(model.wv)
    words = base.wv.index_to_key[100:400]
    moved = {word: models[0].cosine_similarities(models[0][word], models[1][word][None])[0] for word in words}
    least = sorted(moved, key=moved.get)[: len(chosen)]
    return "found", 100 * len(set(least) & set(chosen)) / len(chosen)

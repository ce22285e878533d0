"""scripts with `predict_output_word`: the word in the middle of a passage from the words around it."""

import tasks
from gensim.models import Word2Vec


def run():
    """Count how often the word is among ten predictions."""
    model = Word2Vec(tasks.sentences(), vector_size=100, window=5, min_count=10, workers=2, epochs=10)
    hits, asked = 0, [sentence for sentence in tasks.sentences()[::40] if len(sentence) > 10]
    asked = [sentence for sentence in asked if sentence[5] in model.wv][:300]
    for sentence in asked:
        found = model.predict_output_word(sentence[:5] + sentence[6:11], topn=10) or []
        hits += sentence[5] in [word for word, _ in found]
    return "among ten", 100 * hits / len(asked)

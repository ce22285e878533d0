"""scripts that choose words: `trim_rule`, `max_final_vocab`, `sorted_vocab=0`, `keep_raw_vocab=True`."""

import tasks
from gensim import utils
from gensim.models import Word2Vec


def rule(word, count, min_count):
    """Keep short words of a list, and drop short words that are not on it."""
    if word in ("war", "art", "law", "sea", "sun"):
        return utils.RULE_KEEP
    return utils.RULE_DISCARD if len(word) < 4 else utils.RULE_DEFAULT


def run():
    """Classify passages."""
    model = Word2Vec(vector_size=100, window=5, min_count=2, sorted_vocab=0, max_final_vocab=8000, sg=1, workers=2)
    model.build_vocab(tasks.sentences(), trim_rule=rule, keep_raw_vocab=True)
    assert "war" in model.wv
    assert "the" not in model.wv
    assert "the" in model.raw_vocab
    model.train(tasks.sentences(), total_examples=model.corpus_count, epochs=model.epochs)
    return "accuracy", tasks.passage_accuracy(model.wv)

"""scripts with a table of frequencies: `build_vocab_from_freq(counts)`, `train(total_words=...)`, a min_count of 20."""

from collections import Counter

import tasks
from gensim.models import Word2Vec


def run():
    """Classify passages; the words are chosen by counts of another program."""
    counts = Counter(word for sentence in tasks.sentences() for word in sentence)
    model = Word2Vec(vector_size=100, window=5, min_count=20, sg=1, workers=2)
    model.build_vocab_from_freq(counts, corpus_count=len(tasks.sentences()))
    model.train(tasks.sentences(), total_words=sum(counts.values()), epochs=5, report_delay=5)
    assert len(model.wv) == sum(count >= 20 for count in counts.values())
    return "accuracy", tasks.passage_accuracy(model.wv)

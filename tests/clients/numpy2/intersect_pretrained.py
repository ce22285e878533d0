"""blog posts: pretrained vectors by `build_vocab(update=True)` and `intersect_word2vec_format`, then training."""

import tempfile

import numpy as np
import tasks
from gensim.models import KeyedVectors, Word2Vec


def run():
    """Pretrain on all articles, go on with the text of the passages, and classify these."""
    texts, _ = tasks.passages()
    pretrained = Word2Vec(tasks.sentences(), vector_size=100, min_count=5, sg=1, epochs=5, workers=2)
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/vectors.txt"
        pretrained.wv.save_word2vec_format(path)
        known = KeyedVectors.load_word2vec_format(path)
        model = Word2Vec(vector_size=100, min_count=1)
        model.build_vocab(texts)
        total_examples = model.corpus_count
        model.build_vocab([list(known.key_to_index.keys())], update=True)
        model.wv.vectors_lockf = np.ones(len(model.wv), dtype=np.float32)
        model.wv.intersect_word2vec_format(path, binary=False, lockf=1.0)
        model.train(texts, total_examples=total_examples, epochs=5)
    return "accuracy", tasks.passage_accuracy(model.wv)

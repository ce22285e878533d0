"""scripts with files: `corpus_file=`, `save`, `load(mmap="r")`, GloVe's format, `Word2Vec.load` on the saved model."""

import tempfile

import tasks
from gensim.models import KeyedVectors, Word2Vec


def run():
    """Compare with judgements of the similarity of words, after four round trips."""
    model = Word2Vec(corpus_file=tasks.text_file(), vector_size=100, window=5, min_count=5, workers=2)
    with tempfile.TemporaryDirectory() as directory:
        model.save(f"{directory}/model")
        model = Word2Vec.load(f"{directory}/model", mmap="r")
        model.wv.save(f"{directory}/model.kv")
        vectors = KeyedVectors.load(f"{directory}/model.kv", mmap="r")
        vectors.save_word2vec_format(f"{directory}/glove.txt", write_header=False)
        vectors = KeyedVectors.load_word2vec_format(f"{directory}/glove.txt", no_header=True, limit=20000)
    return "WordSim-353", tasks.word_pairs(vectors)

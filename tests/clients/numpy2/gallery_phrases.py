"""gensim's tutorial on phrases: Word2Vec over a `Phrases` stream, `save_word2vec_format` and `load_word2vec_format`."""

import tempfile

import tasks
from gensim.models import KeyedVectors, Word2Vec
from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases


def run():
    """Compare with judgements of the similarity of words, after a round trip through word2vec's binary format."""
    sentences = tasks.sentences()
    bigrams = Phrases(sentences, min_count=5, threshold=20, connector_words=ENGLISH_CONNECTOR_WORDS)
    model = Word2Vec(bigrams[sentences], vector_size=100, window=5, min_count=5, sg=1, workers=2)
    assert "united_states" in model.wv
    with tempfile.TemporaryDirectory() as directory:
        model.wv.save_word2vec_format(f"{directory}/vectors.bin", binary=True)
        vectors = KeyedVectors.load_word2vec_format(f"{directory}/vectors.bin", binary=True)
    return "WordSim-353", tasks.word_pairs(vectors)

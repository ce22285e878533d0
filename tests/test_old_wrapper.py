"""What gensim's old Wordrank wrapper could do: load the authors' dumps, add vectors, save, compare, look up."""

from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from gensim_wordrank import WordRank
from gensim_wordrank.keyedvectors import combine, keyed_like

# 76 words with 50 numbers each, one word per line: the format of the authors' dumps, and the file of the old tests
DUMP = datapath("test_glove.txt")
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file")  # gensim leaves a file without a header open


@pytest.fixture(scope="module")
def words():
    """The vectors of the dump."""
    return KeyedVectors.load_word2vec_format(DUMP, no_header=True)


def test_load_dump(words):
    """All words and numbers of a dump are loaded."""
    assert words.vectors.shape == (76, 50)
    assert len(words) == 76
    for line in Path(DUMP).read_text(encoding="utf-8").splitlines():
        word, *numbers = line.split()
        np.testing.assert_allclose(words[word], np.array(numbers, np.float32), rtol=1e-6)


def test_vocabulary_file_sorts_a_dump(tmp_path, words):
    """The counts of a vocabulary file are loaded and sort the words."""
    backwards = words.index_to_key[::-1]
    (tmp_path / "vocab.txt").write_text("".join(f"{word} {100 - i}\n" for i, word in enumerate(backwards)))
    counted = KeyedVectors.load_word2vec_format(DUMP, fvocab=str(tmp_path / "vocab.txt"), no_header=True)
    counted.sort_by_descending_frequency()
    assert counted.index_to_key == backwards
    assert counted.get_vecattr(backwards[0], "count") == 100
    np.testing.assert_array_equal(counted[backwards[0]], words[backwards[0]])


def test_ensemble_adds_word_and_context_vectors(words):
    """The scaled sum, as used by the paper's authors, has rows of length 1."""
    scaled = keyed_like(words, combine(words.vectors, words.vectors, "sum", "scaled"))
    assert scaled.vectors.shape == (76, 50)
    np.testing.assert_allclose(np.linalg.norm(scaled.vectors, axis=1), 1, rtol=1e-5)


def test_warm_start_from_dumps(words, lee):
    """Word vectors start from one dump, context vectors from a second one."""
    model = WordRank(vector_size=50, min_count=1)
    model.build_vocab(lee)
    contexts = keyed_like(words, -words.vectors)
    assert model.warm_start(words, contexts) == sum(word in model.wv for word in words.index_to_key) > 50
    np.testing.assert_array_equal(model.wv["the"], words["the"])
    np.testing.assert_array_equal(model.context_vectors[model.wv.get_index("the")], -words["the"])
    model.train(lee, total_examples=model.corpus_count, epochs=1)
    assert 0 < np.abs(model.wv["the"] - words["the"]).max() < np.inf


def test_vectors_are_saved_and_loaded(lee, tmp_path):
    """Words, order, counts and vectors are the same after loading."""
    model = WordRank(lee, vector_size=20, epochs=2)
    model.wv.save(str(tmp_path / "vectors"))
    loaded = KeyedVectors.load(str(tmp_path / "vectors"))
    assert loaded.index_to_key == model.wv.index_to_key
    np.testing.assert_array_equal(loaded.vectors, model.wv.vectors)
    assert loaded.get_vecattr("the", "count") == model.wv.get_vecattr("the", "count")


def test_similarities_and_lookup(words):
    """A word has similarity 1 with itself; looking up an unknown word is a KeyError."""
    assert words.similarity("the", "the") == pytest.approx(1)
    near = dict(words.most_similar("the", topn=75))
    assert near["of"] == pytest.approx(words.similarity("the", "of"), abs=1e-6)
    assert words["the"].shape == (50,)
    assert "nowhere" not in words
    with pytest.raises(KeyError, match="nowhere"):
        words["nowhere"]

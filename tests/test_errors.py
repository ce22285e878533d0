"""Errors for bad input name the parameter and the remedy."""

from pathlib import Path

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import KeyedVectors
from gensim_wordrank import WordRank

SENTENCES = [["a", "b", "c"]] * 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vector_size": 0}, "'vector_size' must be a positive integer. Got 0 instead."),
        ({"vector_size": -3}, "'vector_size' must be a positive integer. Got -3 instead."),
        ({"vector_size": 2.5}, "'vector_size' must be a positive integer. Got 2.5 instead."),
        ({"window": 0}, "'window' must be a positive integer. Got 0 instead."),
        ({"epochs": 0}, "'epochs' must be a positive integer. Got 0 instead."),
        ({"workers": -2}, "'workers' must be a positive integer. Got -2 instead. 0 and -1 stand for all cores."),
        ({"window": 5.5}, "'window' must be a positive integer. Got 5.5 instead."),
        ({"alpha": 0}, "'alpha' must be a number above 0, up to 1. Got 0 instead."),
        ({"alpha": 100}, "Got 100 instead. 'alpha' is the learning rate; the paper's alpha is 'rank_scale'."),
        ({"alpha": -1}, "'alpha' must be a number above 0"),
        ({"rank_scale": 0}, "'rank_scale' must be a number above 0"),
        ({"rank_offset": -1}, "'rank_offset' must be a number, 0 or above"),
        ({"t": 1.0}, "'t' must be other than 1"),
        ({"rank_loss": "l1"}, "'rank_loss' must be one of"),
    ],
)
def test_parameters(options, message):
    """Values out of range are rejected before anything is read."""
    with pytest.raises(ValueError, match=message):
        WordRank(SENTENCES, min_count=1, **options)


def test_invalid_corpora():
    """A corpus must be an iterable of token lists that can be read twice; the error says what to pass."""
    dictionary = Dictionary(SENTENCES)
    for corpus, message in (
        ((sentence for sentence in SENTENCES), "can be read only once"),
        (iter(SENTENCES), "can be read only once"),
        (["a plain string", "another"], "plain string"),
        (["text.txt"], "pass names of files as 'corpus_file'"),
        ("text.txt", "To read a file, pass its name as 'corpus_file'"),
        (Path("text.txt"), "To read a file, pass its name as 'corpus_file'"),
        ([["a", "b"], None], "Sentence 1, counted from 0, is None. Leave it out."),
        ([dictionary.doc2bow(sentence) for sentence in SENTENCES], "bag of words"),
        (5, "iterable"),
    ):
        with pytest.raises(TypeError, match=message):
            WordRank(corpus, min_count=1)


def test_corpus_without_words():
    """An empty corpus and one with only rare words have different errors."""
    for empty in ([], [[], []]):
        with pytest.raises(RuntimeError, match="holds no words"):
            WordRank(empty)
    with pytest.raises(RuntimeError, match=r"none occurs 'min_count' \(50\) times"):
        WordRank(SENTENCES, min_count=50)


def test_nothing_in_place_of_a_parameter(tmp_path, monkeypatch):
    """None as a matrix, and an empty name of a directory, are errors that name the parameter; no file is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match="'matrix' must be a matrix or an array. Got None"):
        WordRank.from_cooccurrence(None)
    with pytest.raises(ValueError, match="'checkpoint' must be the name of a directory. Got '' instead"):
        WordRank(SENTENCES, min_count=1, checkpoint="")
    assert not list(tmp_path.iterdir())


def test_missing_file(tmp_path):
    """The error names the missing file."""
    with pytest.raises(TypeError, match=r"missing\.txt"):
        WordRank(corpus_file=tmp_path / "missing.txt")
    with pytest.raises(FileNotFoundError):
        WordRank.load(tmp_path / "missing.model")


def test_save_to_an_invalid_path(tmp_path):
    """Saving to a missing directory or onto a directory fails, and the model remains usable."""
    model = WordRank(SENTENCES, min_count=1, vector_size=4, epochs=1)
    with pytest.raises(FileNotFoundError, match="no directory"):
        model.save(tmp_path / "no" / "model")
    with pytest.raises(IsADirectoryError, match="directory"):
        model.save(tmp_path)
    assert len(model.wv) == 3


def test_invalid_warm_start():
    """NaN and a different vector size are rejected, and the vectors of the model do not change."""
    keyed = KeyedVectors(4)
    keyed.add_vectors(["a", "b"], np.array([[1, 2, 3, 4], [1, np.nan, 3, 4]], np.float32))
    model = WordRank(min_count=1, vector_size=4)
    model.build_vocab(SENTENCES)
    before = model.wv.vectors.copy()
    with pytest.raises(ValueError, match="The vector of 'b' has NaN"):
        model.warm_start(keyed)
    np.testing.assert_array_equal(model.wv.vectors, before)
    with pytest.raises(ValueError, match="'warm_start' must be vectors of size 4. Got 7"):
        model.warm_start(KeyedVectors(7))
    with pytest.raises(ValueError, match="The vector of 'b' has NaN"):
        model.warm_start(model.wv, keyed)
    np.testing.assert_array_equal(model.wv.vectors, before)


def test_train_without_its_requirements():
    """The error says whether the vocabulary, the epochs or the totals are missing."""
    model = WordRank(min_count=1, vector_size=4)
    with pytest.raises(RuntimeError, match="build_vocab"):
        model.train(SENTENCES, total_examples=5, epochs=1)
    model.build_vocab(SENTENCES)
    with pytest.raises(ValueError, match="'epochs' must be a positive integer. Got None"):
        model.train(SENTENCES, total_examples=5)
    with pytest.raises(ValueError, match="total_examples"):
        model.train(SENTENCES, epochs=1)
    with pytest.raises(RuntimeError, match="no vocabulary to update"):
        WordRank(min_count=1).build_vocab(SENTENCES, update=True)


def test_train_with_replaced_vectors():
    """A `wv` that no longer fits the context vectors is rejected with the method to use instead."""
    model = WordRank(SENTENCES, min_count=1, vector_size=4, epochs=1)
    model.wv.add_vectors(["d"], np.ones((1, 4), np.float32))
    with pytest.raises(RuntimeError, match="4 vectors of size 4, .* 3 context vectors of size 4: .*build_vocab"):
        model.train(SENTENCES, total_examples=5, epochs=1)


def test_exactly_one_corpus(tmp_path):
    """Passing both or neither of `sentences` and `corpus_file` is an error."""
    (tmp_path / "text.txt").write_text("a b c\n")
    with pytest.raises(TypeError, match="Both corpus_file and corpus_iterable"):
        WordRank(SENTENCES, corpus_file=tmp_path / "text.txt")
    with pytest.raises(TypeError, match="Either one of corpus_file or corpus_iterable"):
        WordRank().build_vocab()


def test_divergence_keeps_the_last_good_vectors(two_worlds):
    """If training diverges, the error says what to lower, and the vectors stay finite."""
    model = WordRank(vector_size=4, rank_loss="identity", rank_scale=1e-30)
    model.build_vocab(two_worlds)
    with pytest.raises(FloatingPointError, match="Lower 'alpha'"):
        model.train(two_worlds, total_examples=600, epochs=30)
    assert np.isfinite(model.wv.vectors).all()

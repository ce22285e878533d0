"""Pictures of words."""

import sys

import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.plots import plot_words


@pytest.fixture(scope="module")
def keyed(two_worlds):
    """Vectors to look at."""
    return WordRank(two_worlds, vector_size=8, epochs=2).wv


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_is_written_whole(keyed, tmp_path, ending):
    """PNG and SVG files hold every word; nothing else is left beside them."""
    path = tmp_path / f"words.{ending}"
    plot_words(keyed, keyed.index_to_key, path)
    start = {"png": b"\x89PNG", "svg": b"<?xml"}[ending]
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_too_few_or_unknown_words_are_refused(keyed, tmp_path):
    """Errors say what is missing."""
    with pytest.raises(ValueError, match="at least three words. Got 2"):
        plot_words(keyed, ["sea1", "sea2"], tmp_path / "words.png")
    with pytest.raises(KeyError, match="nowhere"):
        plot_words(keyed, ["sea1", "sea2", "nowhere"], tmp_path / "words.png")


def test_missing_libraries_are_named_with_the_remedy(keyed, tmp_path, monkeypatch):
    """Without matplotlib the error prints the pip line."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'gensim-wordrank\[plot\]'"):
        plot_words(keyed, keyed.index_to_key, tmp_path / "words.png")

"""The scikit-learn transformer."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.sklearn import WordRankVectorizer
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

SMALL = {"vector_size": 8, "window": 5, "epochs": 3}


@pytest.fixture(scope="module")
def fitted(two_worlds):
    """A fitted transformer."""
    return WordRankVectorizer(**SMALL).fit(two_worlds)


def test_a_text_becomes_the_mean_of_its_known_words(fitted, two_worlds):
    """Rows are means over the vectors that WordRank trains; unknown words do not count; without known ones: zeros."""
    wv = WordRank(two_worlds, **SMALL).wv
    rows = fitted.transform([["sea1", "sea2", "nowhere"], ["nowhere"], []])
    np.testing.assert_allclose(rows[0], (wv["sea1"] + wv["sea2"]) / 2, rtol=1e-6)
    assert not rows[1:].any()
    assert rows.dtype == np.float32
    assert fitted.transform([]).shape == (0, 8)


def test_words_may_be_numbers():
    """Those that are unknown are left out, and not taken for indices."""
    rows = WordRankVectorizer(vector_size=4, min_count=2, epochs=1).fit_transform(
        [[5, 6, 7], [5, 6, 7], [5, 6, 0], [1]]
    )
    assert rows[2].any()
    assert not rows[3].any()


def test_vectors_can_be_chosen_and_wordrank_given_any_parameter(two_worlds):
    """`which` and `style` choose among u, v and u + v; `options` reach WordRank."""
    chosen = WordRankVectorizer(**SMALL, which="sum", style="centred", options={"rank_loss": "dcg"}).fit(two_worlds)
    assert chosen.model_.objective.rank_loss == "dcg"
    np.testing.assert_array_equal(chosen.vectors_.vectors, chosen.model_.vectors("sum", "centred").vectors)


def test_it_works_in_pipelines_and_searches(two_worlds):
    """A classifier behind it tells the worlds apart, and a grid search reaches its parameters."""
    labels = [sentence[0][:3] for sentence in two_worlds]
    pipeline = make_pipeline(WordRankVectorizer(**SMALL), LogisticRegression())
    search = GridSearchCV(pipeline, {"wordrankvectorizer__vector_size": [2, 6]}, cv=2).fit(two_worlds, labels)
    assert search.best_score_ == 1.0
    assert sorted(search.cv_results_["param_wordrankvectorizer__vector_size"]) == [2, 6]


def test_parameters_can_be_read_set_and_cloned(fitted):
    """A clone has the same parameters and is not fitted."""
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert copy.set_params(epochs=7).epochs == 7
    with pytest.raises(NotFittedError):
        copy.transform([["sea1"]])


def test_it_can_be_pickled(fitted):
    """A fitted transformer comes back whole."""
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(loaded.transform([["sky3"]]), fitted.transform([["sky3"]]))


def test_features_have_names(fitted):
    """A name a column, as scikit-learn's own decompositions give."""
    assert list(fitted.get_feature_names_out()) == [f"wordrankvectorizer{i}" for i in range(8)]


def test_plain_strings_are_refused(fitted):
    """Texts that are not split are refused in fit and in transform."""
    with pytest.raises(TypeError, match="plain string"):
        WordRankVectorizer().fit(["not split"])
    with pytest.raises(TypeError, match="plain string"):
        fitted.transform(["not split"])


def test_a_missing_library_is_named_with_the_remedy():
    """Without scikit-learn the error prints the pip line."""
    script = "import sys; sys.modules['sklearn'] = None; import gensim_wordrank.sklearn"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "Run: pip install 'gensim-wordrank[sklearn]'" in run.stderr

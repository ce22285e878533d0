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


def test_transform_averages_known_words(fitted, two_worlds):
    """A row is the mean vector of the known words of a text, or zeros if it has none."""
    wv = WordRank(two_worlds, **SMALL).wv
    rows = fitted.transform([["sea1", "sea2", "nowhere"], ["nowhere"], []])
    np.testing.assert_allclose(rows[0], (wv["sea1"] + wv["sea2"]) / 2, rtol=1e-6)
    assert not rows[1:].any()
    assert rows.dtype == np.float32
    assert fitted.transform([]).shape == (0, 8)


def test_integer_words():
    """Unknown integer words are left out and not used as indices."""
    rows = WordRankVectorizer(vector_size=4, min_count=2, epochs=1).fit_transform(
        [[5, 6, 7], [5, 6, 7], [5, 6, 0], [1]]
    )
    assert rows[2].any()
    assert not rows[3].any()


def test_parameters_of_the_vectors_and_of_wordrank(two_worlds):
    """`which` and `style` select the vectors; `options` are passed to WordRank."""
    chosen = WordRankVectorizer(**SMALL, which="sum", style="centred", options={"rank_loss": "dcg"}).fit(two_worlds)
    assert chosen.model_.objective.rank_loss == "dcg"
    np.testing.assert_array_equal(chosen.vectors_.vectors, chosen.model_.vectors("sum", "centred").vectors)


def test_pipeline_and_grid_search(two_worlds):
    """A classifier on its output separates the two worlds, and a grid search sets its parameters."""
    labels = [sentence[0][:3] for sentence in two_worlds]
    pipeline = make_pipeline(WordRankVectorizer(**SMALL), LogisticRegression())
    search = GridSearchCV(pipeline, {"wordrankvectorizer__vector_size": [2, 6]}, cv=2).fit(two_worlds, labels)
    assert search.best_score_ == 1.0
    assert sorted(search.cv_results_["param_wordrankvectorizer__vector_size"]) == [2, 6]


def test_get_params_set_params_and_clone(fitted):
    """A clone has the same parameters and is not fitted."""
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert copy.set_params(epochs=7).epochs == 7
    with pytest.raises(NotFittedError):
        copy.transform([["sea1"]])


def test_pickle(fitted):
    """A fitted transformer gives the same rows after pickling."""
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(loaded.transform([["sky3"]]), fitted.transform([["sky3"]]))


def test_feature_names(fitted):
    """Each column has a name, as in scikit-learn's decompositions."""
    assert list(fitted.get_feature_names_out()) == [f"wordrankvectorizer{i}" for i in range(8)]


def test_plain_strings_are_rejected(fitted):
    """fit and transform reject texts that are not split into words."""
    with pytest.raises(TypeError, match="plain string"):
        WordRankVectorizer().fit(["not split"])
    with pytest.raises(TypeError, match="plain string"):
        fitted.transform(["not split"])


def test_missing_scikit_learn(tmp_path):
    """If scikit-learn is not installed, the error shows the pip command."""
    script = "import sys; sys.modules['sklearn'] = None; import gensim_wordrank.sklearn"
    # not in the checkout: `python -c` would import its sources instead of the package that is installed
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert "Run: pip install 'gensim-wordrank[sklearn]'" in run.stderr

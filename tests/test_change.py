"""Words that changed from one text to another, on texts where the answer is known."""

import numpy as np
import pytest
from gensim_wordrank import Change, WordRank
from gensim_wordrank.analysis import joint, permutation
from gensim_wordrank.plots import change_map, matplotlib, plotly
from gensim_wordrank.text.corpus import read

SMALL = {"vector_size": 10, "window": 5, "min_count": 1, "epochs": 10}


def grouped_text(seed, changes=None, n_groups=6, size=11, n_noise=30, n_sentences=900):
    """Sentences of one group of words each, with a word that belongs to no group; `changes` replaces words."""
    random, changes = np.random.default_rng(seed), changes or {}
    groups = [[f"g{group}w{i}" for i in range(size)] for group in range(n_groups)]
    result = []
    for _ in range(n_sentences):
        words = random.permutation(groups[random.integers(n_groups)])[:8].tolist()
        result.append([changes.get(word, word) for word in [*words, f"noise{random.integers(n_noise)}"]])
    return result


@pytest.fixture(scope="module")
def exchanged():
    """Two texts; `g0w0` and `g1w0` are exchanged in the second."""
    texts = {"1990s": grouped_text(1), "2000s": grouped_text(2, {"g0w0": "g1w0", "g1w0": "g0w0"})}
    return Change.of(texts, **SMALL)


def test_exchanged_words(exchanged):
    """Two words that were exchanged are the two that changed, each from the neighbours of the one to the other's."""
    found = exchanged.most_changed(3)
    assert {each.word for each in found[:2]} == {"g0w0", "g1w0"}
    assert all(each.q_value < 0.05 and each.cosine < 0.5 < each.expected for each in found[:2])
    assert found[2].q_value > 0.05
    left, joined = exchanged.neighbours("g0w0", topn=3)
    assert all(word.startswith("g0") and before > 0.8 > after for word, before, after in left)
    assert all(word.startswith("g1") and after > 0.8 > before for word, before, after in joined)


def test_cosines_are_those_of_the_vectors(exchanged):
    """A cosine is that of the vectors of a word in the two texts, and words are compared without a rotation."""
    for word in ("g0w0", "g2w3", "noise1"):
        one, other = (wv.get_vector(word, norm=True) for wv in exchanged.wv.values())
        assert exchanged.changed(word).cosine == pytest.approx(float(one @ other), abs=1e-5)
    assert exchanged.changed("g2w3").cosine > 0.9


def test_merged_words():
    """A word that takes over the contexts of another one changed most; words that it is now near moved far less."""
    change = Change.of({"old": grouped_text(3), "new": grouped_text(4, {"g0w0": "g1w0"})}, **SMALL)
    first, *others = change.most_changed(len(change.words))
    assert (first.word, first.q_value < 0.05, first.cosine < 0.8) == ("g1w0", True, True)
    assert min(each.cosine for each in others if each.word.startswith("g")) > 0.97
    assert all(each.word.startswith(("g0", "noise")) for each in others if each.q_value < 0.05)
    assert sum(word.startswith("g0") for word, *_ in change.neighbours("g1w0", topn=6)[1]) >= 4
    assert "g0w0" in change.wv["old"]
    assert "g0w0" not in change.wv["new"]
    with pytest.raises(KeyError, match="too rare in one of the texts"):
        change.changed("g0w0")
    with pytest.raises(KeyError, match="Neither text has the word 'g9w9'"):
        change.neighbours("g9w9")


def test_false_alarms_without_a_change():
    """Of words that did not change, 5% have a p-value of 5% or less; no word has a q-value of 5% or less."""
    p_values, q_values = [], []
    for seed in range(10, 22, 2):
        change = Change.of({"a": grouped_text(seed), "b": grouped_text(seed + 1)}, resamples=10, **SMALL)
        found = change.most_changed(len(change.words))
        p_values += [each.p_value for each in found]
        q_values += [each.q_value for each in found]
    assert len(p_values) == 6 * 96
    for level in (0.05, 0.2, 0.5):
        # three standard deviations of a share of so many words
        assert abs(np.mean(np.array(p_values) <= level) - level) < 3 * np.sqrt(level * (1 - level) / len(p_values))
    assert min(q_values) > 0.05


def test_frequency_alone_is_no_change():
    """Words that became five times as rare but kept their contexts are not among those that changed."""
    random, rare = np.random.default_rng(0), {f"g{i}w0" for i in range(6)}
    new = [[word for word in line if word not in rare or random.random() < 0.2] for line in grouped_text(6)]
    change = Change.of({"old": grouped_text(5), "new": new}, **SMALL)
    assert min(change.changed(word).q_value for word in rare) > 0.05
    assert change.wv["new"].get_vecattr("g0w0", "count") < change.wv["old"].get_vecattr("g0w0", "count") / 3


def test_scores_of_normal_numbers():
    """Scores of random divisions have the variance of a t distribution; a dependence on sizes is removed."""
    random = np.random.default_rng(0)
    sizes, deviations = random.normal(size=(13, 2000)), np.linspace(0.5, 2, 2000)
    values = 3 * sizes + deviations * random.normal(size=sizes.shape)
    values[0, :5] -= 10 * deviations[:5]
    scores, expected = permutation.scores(values, sizes)
    assert scores[1:].std() == pytest.approx(1, abs=0.05)
    assert (np.argsort(-scores[0])[:5] < 5).all()
    # the mean of twelve numbers, with the same standard deviations
    assert np.std((expected - 3 * sizes[0]) / deviations) == pytest.approx(12**-0.5, abs=0.03)
    p_values = permutation.p_values(scores)
    assert p_values[:5].max() <= 1 / len(values[1:].ravel()) * 5
    assert np.mean(p_values[5:] <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_equal_texts_have_equal_vectors():
    """The vectors of one text given twice are nearly equal: words start alike and have the same contexts."""
    text = read(grouped_text(7))
    one, other = joint.train(WordRank(**SMALL), [text, text])
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    assert ((one * other).sum(axis=1) / lengths).min() > 0.99


def test_sizes_and_workers(tmp_path):
    """Texts may be files, and differ in size; the result does not depend on the number of workers."""
    lines = grouped_text(8)
    (tmp_path / "old.txt").write_text("\n".join(map(" ".join, lines[:200])))
    texts = {"old": tmp_path / "old.txt", "new": lines[200:]}
    one, two = (Change.of(texts, resamples=3, **SMALL, workers=workers) for workers in (1, 3))
    assert one.cosines.tobytes() == two.cosines.tobytes()
    assert one.most_changed() == two.most_changed()
    assert one.counts[:, 0].sum(axis=1) == pytest.approx(200 * 9, rel=0.05)  # each division has texts of these sizes


def test_map(exchanged):
    """An arrow leads from the place of a word in the first text to its place in the second, by its neighbours."""
    figure = change_map(exchanged, ["g0w0"], topn=3)
    moved, others = figure.panels[0].series
    assert list(moved.labels) == ["g0w0 (1990s)", "g0w0 (2000s)"]
    near = [word for side in exchanged.neighbours("g0w0", 3) for word, *_ in side]
    assert list(others.labels) == near
    places = {label: np.array([x, y]) for label, x, y in zip(others.labels, others.x, others.y, strict=True)}
    old, new = (np.array([moved.x[i], moved.y[i]]) for i in (0, 1))
    for word in near:
        assert (np.linalg.norm(places[word] - old) < np.linalg.norm(places[word] - new)) == word.startswith("g0")
    (axes,) = matplotlib.draw(figure).axes
    (arrow,) = [text for text in axes.texts if getattr(text, "arrow_patch", None) is not None]
    assert (arrow.xy, arrow.xyann) == (tuple(new), tuple(old))
    page = plotly.draw(figure.panels[0])
    assert [trace.mode for trace in page.data] == ["markers+text+lines", "markers+text"]
    with pytest.raises(ValueError, match="three words"):
        change_map(exchanged, ["g0w0"], topn=0)


def test_errors():
    """Other than two texts, few resamples and parameters without a use are refused; so are words as a text."""
    text = grouped_text(9)
    with pytest.raises(ValueError, match="'texts' must be two texts"):
        Change.of({"one": text})
    with pytest.raises(ValueError, match="'resamples' must be at least 3"):
        Change.of({"one": text, "two": text}, resamples=2)
    with pytest.raises(ValueError, match="'subwords' must be omitted"):
        Change.of({"one": text, "two": text}, subwords=True)
    with pytest.raises(TypeError, match="'vector_siz'"):
        Change.of({"one": text, "two": text}, vector_siz=10)
    with pytest.raises(ValueError, match="too few sentences"):
        Change.of({"one": text, "two": text[:3]}, **SMALL)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Change.of({"one": text, "two": "nowhere.txt"}, **SMALL)

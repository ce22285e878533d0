"""What pictures show, and their files."""

import itertools
import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.plots import matplotlib, plotly
from gensim_wordrank.plots.figures import loss_curves, loss_functions, quality_curves, save, word_map
from gensim_wordrank.plots.layout import LABEL_HEIGHT, LETTER_WIDTH, places_of

RESULTS = [
    {"run": "A", "epochs": 20, "seed": 1, "seconds": 40.0, "WS": 66.0},
    {"run": "A", "epochs": 10, "seed": 1, "seconds": 19.0, "WS": 60.0},
    {"run": "A", "epochs": 10, "seed": 2, "seconds": 21.0, "WS": 64.0},
    {"run": "B", "epochs": 5, "seed": 1, "seconds": 99.0, "WS": 63.0},
]
STRANGE = ["$x$", "_", "<b>bold</b>", "a & b", "%{x}", "plain"]


@pytest.fixture(scope="module")
def model(two_worlds):
    """A model to look at."""
    return WordRank(two_worlds, vector_size=8, epochs=4)


@pytest.fixture(scope="module")
def strange():
    """Vectors of words that mean something to programs that draw."""
    keyed = KeyedVectors(4)
    keyed.add_vectors(STRANGE, np.random.default_rng(0).normal(size=(len(STRANGE), 4)).astype(np.float32))
    return keyed


def test_rank_losses_follow_the_formulas():
    """Both panels of Figure 1 hold the functions that the paper defines."""
    first, second = loss_functions().panels
    formulas = [
        lambda x: x,
        lambda x: np.log2(1 + x),
        lambda x: 1 - 1 / np.log2(2 + x),
        lambda x: (x**-0.5 - 1) / -0.5,
    ]
    for series, formula in zip(first.series, formulas, strict=True):
        np.testing.assert_allclose(series.y, formula(series.x), rtol=1e-12)
    identity, *scaled = second.series
    np.testing.assert_array_equal(identity.y, identity.x)
    for series, (alpha, beta) in zip(scaled, [(1, 0), (10, 9), (100, 99)], strict=True):
        np.testing.assert_allclose(series.y, np.log2(1 + (series.x + beta) / alpha), rtol=1e-12)


def test_the_loss_of_every_epoch_is_drawn(model):
    """A curve has a point an epoch; a model without losses has no curve."""
    curves = loss_curves({"worlds": model.training_losses, "none": []}).panels[0].series
    assert [series.name for series in curves] == ["worlds"]
    assert (curves[0].x.tolist(), curves[0].y.tolist()) == ([1, 2, 3, 4], model.training_losses)


def test_models_without_losses_are_refused():
    """The error says what is missing."""
    with pytest.raises(ValueError, match="holds no loss of an epoch"):
        loss_curves({"vectors": []})


def test_quality_is_drawn_as_mean_and_range_of_seeds():
    """Runs that differ in their seed are one point, in order of seconds; other runs are other curves."""
    panel, *more = quality_curves(RESULTS, ["WS"]).panels
    assert not more
    a, b = panel.series
    assert (a.name, a.x.tolist(), a.y.tolist()) == ("A", [20, 40], [62, 66])
    assert (a.low.tolist(), a.high.tolist()) == ([60, 66], [64, 66])
    assert (b.name, b.x.tolist(), b.y.tolist()) == ("B", [99], [63])


def test_quality_against_corpus_size():
    """Texts of several sizes add a panel, with a curve for each number of epochs."""
    small = [row | {"tokens": 1000} for row in RESULTS]
    large = [row | {"tokens": 5000, "seconds": 5 * row["seconds"], "WS": row["WS"] + 3} for row in RESULTS]
    seconds, tokens = quality_curves(large + small, ["WS"]).panels
    assert [series.name for series in seconds.series][::3] == ["A, 5,000 tokens", "B, 1,000 tokens"]
    curves = {series.name: series for series in tokens.series}
    assert set(curves) == {"A, 10 epochs", "A, 20 epochs", "B, 5 epochs"}
    assert (curves["A, 10 epochs"].x.tolist(), curves["A, 10 epochs"].y.tolist()) == ([1000, 5000], [62, 65])


def test_numbers_on_a_logarithmic_axis_are_short_and_do_not_overlap():
    """Seconds as 20, 50, 100 and tokens as 20M, also where less than a decade is shown."""
    texts = [row | {"tokens": tokens} for row in RESULTS for tokens in (17_000_000, 64_000_000)]
    figure = matplotlib.draw(quality_curves(texts, ["WS"]))
    figure.draw_without_rendering()
    shown = []
    for axes in figure.axes:
        left, right = axes.get_xlim()
        shown.append([label for label in axes.get_xticklabels() if left <= label.get_position()[0] <= right])
    assert [[label.get_text() for label in labels] for labels in shown] == [["20", "50", "100"], ["20M", "50M"]]
    for labels in shown:
        boxes = [label.get_window_extent() for label in labels]
        assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
    assert not any(label.get_text() for axes in figure.axes for label in axes.get_xticklabels(minor=True))


def test_a_map_holds_words_and_their_neighbours_once(model):
    """Each word is a series with those neighbours that are not drawn yet; its points tell who is near."""
    panel = word_map(model.wv, ["sea1", "sky1"], topn=10).panels[0]
    sea, sky = panel.series
    assert (sea.name, sky.name) == ("sea1", "sky1")
    near = [word for word, _ in model.wv.most_similar("sea1", topn=10)]
    assert list(sea.labels) == ["sea1", *(word for word in near if word != "sky1")]
    assert len({*sea.labels, *sky.labels}) == len(sea.labels) + len(sky.labels)
    assert sea.notes[0].startswith(f"sea1: near {near[0]} {model.wv.similarity('sea1', near[0]):.2f}")


def test_a_map_takes_vectors_of_any_model(two_worlds):
    """Words of Word2Vec are drawn too, and worlds that never mix lie apart."""
    keyed = Word2Vec(two_worlds, vector_size=8, epochs=5, workers=1, seed=1).wv
    series = word_map(keyed, keyed.index_to_key).panels[0].series[0]
    places = np.column_stack([series.x, series.y])
    is_sea = np.array([label.startswith("sea") for label in series.labels])
    distances = np.linalg.norm(places[:, None] - places, axis=2) + np.diag(np.full(len(places), np.inf))
    same_world = is_sea[distances.argmin(axis=1)] == is_sea
    assert same_world.mean() > 0.8


def test_labels_do_not_overlap():
    """No two of 150 labels of any length lie over each other."""
    random = np.random.default_rng(0)
    labels = ["x" * n for n in random.integers(1, 15, 150)]
    vectors = random.normal(size=(150, 5)) + 5 * random.integers(0, 3, (150, 1))
    x, y = places_of(vectors.astype(np.float32), labels).T
    widths = np.array([len(label) * LETTER_WIDTH for label in labels])
    beside = np.abs(x[:, None] - x) >= (widths[:, None] + widths) / 2
    above = np.abs(y[:, None] - y) >= LABEL_HEIGHT
    assert (beside | above | np.eye(150, dtype=bool)).all()


def test_too_few_or_unknown_words_are_refused(model):
    """Errors say what is missing."""
    with pytest.raises(ValueError, match="at least three words with a direction. Got 2"):
        word_map(model.wv, ["sea1", "sea2"])
    with pytest.raises(KeyError, match="nowhere"):
        word_map(model.wv, ["sea1", "sea2", "nowhere"])


@pytest.mark.parametrize("picture", [loss_functions(), quality_curves(RESULTS, ["WS"])], ids=["losses", "quality"])
def test_images_and_pages_show_the_same_numbers(picture):
    """Every series has its points, name, bars and axes in both."""
    figure, page = matplotlib.draw(picture), plotly.draw(picture)
    lines = [container for axes in figure.axes for container in axes.containers]
    names = [text.get_text() for axes in figure.axes for text in axes.get_legend().get_texts()]
    assert names == [trace.name for trace in page.data] == [s.name for panel in picture.panels for s in panel.series]
    for (line, _, bars), trace in zip(lines, page.data, strict=True):
        np.testing.assert_allclose(line.get_xdata(), trace.x)
        np.testing.assert_allclose(line.get_ydata(), trace.y)
        ends = np.array([segment[:, 1] for bar in bars for segment in bar.get_segments()])
        if len(ends):
            low, high = np.subtract(trace.y, trace.error_y.arrayminus), np.add(trace.y, trace.error_y.array)
            np.testing.assert_allclose(ends, np.column_stack([low, high]))
    assert [axes.get_xlabel() for axes in figure.axes] == [axis.title.text for axis in page.select_xaxes()]


def test_words_are_drawn_as_they_are(strange):
    """Dollars, tags, ampersands and underscores are neither mathematics nor markup."""
    picture = word_map(strange, STRANGE[:2], topn=4)
    figure = matplotlib.draw(picture)
    texts = figure.axes[0].texts
    assert sorted(text.get_text() for text in texts) == sorted(STRANGE)
    assert not any(text.get_parse_math() for text in [*texts, *figure.axes[0].get_legend().get_texts()])
    assert [text.get_text().strip() for text in figure.axes[0].get_legend().get_texts()] == STRANGE[:2]
    traces = plotly.draw(picture).data
    shown = dict(pair for trace in traces for pair in zip(trace.customdata, trace.text, strict=True))
    assert shown["<b>bold</b>"] == "&lt;b&gt;bold&lt;/b&gt;"
    assert shown["$x$"] == "<b>&#36;x&#36;</b>"


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "html"])
def test_a_picture_is_written_whole(strange, tmp_path, ending):
    """A file of each kind begins as it should; nothing else is left beside it."""
    path = tmp_path / f"words.{ending}"
    save(word_map(strange, STRANGE), path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}[ending]
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_other_endings_are_refused(tmp_path):
    """The error tells which there are."""
    with pytest.raises(ValueError, match=r"'path' must be a name ending in .html, .png, .svg, .pdf. Got .*x.gif"):
        save(loss_functions(), tmp_path / "x.gif")


@pytest.mark.parametrize(("library", "ending"), [("matplotlib.figure", "png"), ("plotly.subplots", "html")])
def test_missing_libraries_are_named_with_the_remedy(tmp_path, monkeypatch, library, ending):
    """Without its library the error prints the pip line."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"pip install 'gensim-wordrank\[plot\]'"):
        save(loss_functions(), tmp_path / f"x.{ending}")

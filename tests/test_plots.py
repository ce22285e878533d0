"""What figures show, and the files they are written to."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import AnalogySet, SimilaritySet, evaluate
from gensim_wordrank.plots import (
    Figure,
    loss_curves,
    loss_functions,
    matplotlib,
    plotly,
    quality_curves,
    save,
    score_bars,
    word_map,
)
from gensim_wordrank.plots.maps import label_positions
from gensim_wordrank.plots.spec import LABEL_HEIGHT, LETTER_WIDTH

RESULTS = [
    {"run": "A", "epochs": 20, "seed": 1, "seconds": 40.0, "WS": 66.0},
    {"run": "A", "epochs": 10, "seed": 1, "seconds": 19.0, "WS": 60.0},
    {"run": "A", "epochs": 10, "seed": 2, "seconds": 21.0, "WS": 64.0},
    {"run": "B", "epochs": 5, "seed": 1, "seconds": 99.0, "WS": 63.0},
]
SPECIAL = ["$x$", "_", "<b>bold</b>", "a & b", "%{x}", "plain"]


@pytest.fixture(scope="module")
def model(two_worlds):
    """A small trained model."""
    return WordRank(two_worlds, vector_size=8, epochs=4)


@pytest.fixture(scope="module")
def special_wv():
    """Vectors of words that plotting libraries could interpret as markup."""
    keyed = KeyedVectors(4)
    keyed.add_vectors(SPECIAL, np.random.default_rng(0).normal(size=(len(SPECIAL), 4)).astype(np.float32))
    return keyed


def test_rank_losses_follow_their_formulas():
    """Both panels of Figure 1 show the functions that the paper defines."""
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


def test_loss_curves(model):
    """A curve has one point per epoch; a model without losses has no curve."""
    curves = loss_curves({"worlds": model.training_losses, "none": []}).panels[0].series
    assert [series.name for series in curves] == ["worlds"]
    assert (curves[0].x.tolist(), curves[0].y.tolist()) == ([1, 2, 3, 4], model.training_losses)


def test_loss_curves_without_losses():
    """If no model has losses, the error says what to pass."""
    with pytest.raises(ValueError, match="must hold the losses of a model"):
        loss_curves({"vectors": []})


def test_losses_that_cannot_be_compared_have_panels_of_their_own():
    """Losses share a panel only if their objectives are equal."""
    losses = {"a": [3.0, 2.0], "b": [30.0, 20.0], "c": [4.0, 3.0]}
    together = loss_curves(losses).panels
    apart = loss_curves(losses, {"a": "log", "b": "dcg", "c": "log"}).panels
    assert [[series.name for series in panel.series] for panel in together] == [["a", "b", "c"]]
    assert [[series.name for series in panel.series] for panel in apart] == [["a", "c"], ["b"]]
    assert [panel.title for panel in apart] == ["", "b"]


@pytest.fixture(scope="module")
def bars(model, special_wv):
    """The bars of two models on two similarity sets and one analogy set."""
    pairs = [("sea1", "sea2"), ("sky1", "sky2"), ("sea1", "sky1"), ("plain", "_")]
    sets = [SimilaritySet(name, pairs, np.array([9.0, 8.0, 1.0, 5.0])) for name in ("one", "two")]
    sets.append(AnalogySet("three", [("sea1", "sea2", "sky1")], [("sky2",)], [""]))
    scores = [evaluate(wv, sets) for wv in (model.wv, special_wv)]
    return scores, score_bars(["ours", "other"], scores)


def test_score_bars(bars):
    """Similarity and analogies have panels; a bar ends at the score, its error bar spans the interval."""
    scores, figure = bars
    similarities, analogies = figure.panels
    assert (similarities.y_names, analogies.y_names) == (["one", "two"], ["three"])
    for series, found in zip(similarities.series, scores, strict=True):
        np.testing.assert_allclose(series.x, [100 * score.value for score in found[:2]])
        expected = 100 * np.array([score.interval() for score in found[:2]])
        np.testing.assert_allclose(np.column_stack([series.low, series.high]), expected)
    upper, lower = similarities.series
    np.testing.assert_allclose(lower.y - upper.y, upper.bar_height)  # side by side, without overlap
    assert 2 * upper.bar_height < 1


def test_matplotlib_and_plotly_draw_the_same_bars(bars):
    """Every bar has the same place, length and name in both."""
    for axes, panel in zip(matplotlib.draw(bars[1]).axes, bars[1].panels, strict=True):
        page = plotly.draw(panel)
        drawn = [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches]
        expected = [pair for trace in page.data for pair in zip(trace.y, trace.x, strict=True)]
        np.testing.assert_allclose(drawn, expected)
        assert [label.get_text() for label in axes.get_yticklabels()] == list(page.layout.yaxis.ticktext)
        assert [trace.name for trace in page.data] == ["ours", "other"]


def test_panels_with_the_same_series_share_a_legend(bars):
    """There is one legend, below all panels."""
    figure = matplotlib.draw(bars[1])
    assert [axes.get_legend() for axes in figure.axes] == [None, None]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["ours", "other"]
    figure.draw_without_rendering()
    assert legend.get_window_extent().y1 < min(axes.get_window_extent().y0 for axes in figure.axes)


def test_quality_curves_average_over_seeds():
    """Runs that differ only in their seed are one point; points are sorted by time; each run name has a curve."""
    panel, *more = quality_curves(RESULTS, ["WS"]).panels
    assert not more
    a, b = panel.series
    assert (a.name, a.x.tolist(), a.y.tolist()) == ("A", [20, 40], [62, 66])
    assert (a.low.tolist(), a.high.tolist()) == ([60, 66], [64, 66])
    assert (b.name, b.x.tolist(), b.y.tolist()) == ("B", [99], [63])


def test_quality_against_corpus_size():
    """Corpora of several sizes add a panel with one curve per number of epochs."""
    small = [row | {"tokens": 1000} for row in RESULTS]
    large = [row | {"tokens": 5000, "seconds": 5 * row["seconds"], "WS": row["WS"] + 3} for row in RESULTS]
    seconds, tokens = quality_curves(large + small, ["WS"]).panels
    assert [series.name for series in seconds.series][::3] == ["A, 5,000 tokens", "B, 1,000 tokens"]
    curves = {series.name: series for series in tokens.series}
    assert set(curves) == {"A, 10 epochs", "A, 20 epochs", "B, 5 epochs"}
    assert (curves["A, 10 epochs"].x.tolist(), curves["A, 10 epochs"].y.tolist()) == ([1000, 5000], [62, 65])


def test_tick_labels_of_a_log_axis():
    """Tick labels are short (20, 20M) and do not overlap, even if the axis spans less than a decade."""
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


def test_word_map_shows_each_word_once(model):
    """Each given word is a series with those neighbours that are not yet drawn; hover texts name near words."""
    panel = word_map(model.wv, ["sea1", "sky1"], topn=10).panels[0]
    sea, sky = panel.series
    assert (sea.name, sky.name) == ("sea1", "sky1")
    near = [word for word, _ in model.wv.most_similar("sea1", topn=10)]
    assert list(sea.labels) == ["sea1", *(word for word in near if word != "sky1")]
    assert len({*sea.labels, *sky.labels}) == len(sea.labels) + len(sky.labels)
    assert sea.hover_texts[0].startswith(f"sea1: near {near[0]} {model.wv.similarity('sea1', near[0]):.2f}")


def test_word_map_takes_vectors_of_any_model(two_worlds):
    """Word2Vec's vectors can be drawn, and words that never occur together are far apart."""
    keyed = Word2Vec(two_worlds, vector_size=8, epochs=5, workers=1, seed=1).wv
    series = word_map(keyed, keyed.index_to_key).panels[0].series[0]
    positions = np.column_stack([series.x, series.y])
    is_sea = np.array([label.startswith("sea") for label in series.labels])
    distances = np.linalg.norm(positions[:, None] - positions, axis=2) + np.diag(np.full(len(positions), np.inf))
    same_world = is_sea[distances.argmin(axis=1)] == is_sea
    assert same_world.mean() > 0.8


def test_labels_do_not_overlap():
    """No two of 150 labels of various lengths overlap."""
    random = np.random.default_rng(0)
    labels = ["x" * n for n in random.integers(1, 15, 150)]
    vectors = random.normal(size=(150, 5)) + 5 * random.integers(0, 3, (150, 1))
    x, y = label_positions(vectors.astype(np.float32), labels).T
    widths = np.array([len(label) * LETTER_WIDTH for label in labels])
    beside = np.abs(x[:, None] - x) >= (widths[:, None] + widths) / 2
    above = np.abs(y[:, None] - y) >= LABEL_HEIGHT
    assert (beside | above | np.eye(150, dtype=bool)).all()


def test_one_word_is_in_the_middle_of_its_neighbours(model):
    """The word is in the centre of the map, and neighbours with a higher cosine are nearer to it."""
    panel = word_map(model.wv, ["sea1"], topn=15).panels[0]
    (left, right), (bottom, top) = panel.map_limits()
    series = panel.series[0]
    assert (series.labels[0], series.x[0], series.y[0]) == (
        "sea1",
        pytest.approx((left + right) / 2),
        (bottom + top) / 2,
    )
    offsets = np.column_stack([series.x - series.x[0], series.y - series.y[0]]) / [right - left, top - bottom]
    distances = np.hypot(*offsets.T)[1:]  # most_similar sorts by cosine; labels are moved apart a little
    assert distances[:5].mean() < distances[-5:].mean()


def test_labels_stay_inside_the_picture(model):
    """The limits of a map leave room for the longest label on both sides."""
    panel = word_map(model.wv, ["sea1", "sky1"], topn=10).panels[0]
    figure = matplotlib.draw(Figure("", [panel]))
    figure.draw_without_rendering()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width


def test_word_map_rejects_too_few_and_unknown_words(model):
    """The error gives the number of words, or names the unknown word."""
    with pytest.raises(ValueError, match="at least three words with nonzero vectors. Got 2"):
        word_map(model.wv, ["sea1", "sea2"])
    with pytest.raises(KeyError, match="nowhere"):
        word_map(model.wv, ["sea1", "sea2", "nowhere"])


@pytest.mark.parametrize("figure", [loss_functions(), quality_curves(RESULTS, ["WS"])], ids=["losses", "quality"])
def test_matplotlib_and_plotly_draw_the_same(figure):
    """Every series has the same points, name, error bars and axis labels in both."""
    image, pages = matplotlib.draw(figure), [plotly.draw(panel) for panel in figure.panels]
    traces = [trace for page in pages for trace in page.data]
    lines = [container for axes in image.axes for container in axes.containers]
    names = [text.get_text() for axes in image.axes for text in axes.get_legend().get_texts()]
    assert names == [trace.name for trace in traces] == [s.name for panel in figure.panels for s in panel.series]
    for (line, _, bars), trace in zip(lines, traces, strict=True):
        np.testing.assert_allclose(line.get_xdata(), trace.x)
        np.testing.assert_allclose(line.get_ydata(), trace.y)
        ends = np.array([segment[:, 1] for bar in bars for segment in bar.get_segments()])
        if len(ends):
            low, high = np.subtract(trace.y, trace.error_y.arrayminus), np.add(trace.y, trace.error_y.array)
            np.testing.assert_allclose(ends, np.column_stack([low, high]))
    assert [axes.get_xlabel() for axes in image.axes] == [page.layout.xaxis.title.text for page in pages]


def test_words_are_escaped(special_wv):
    """Dollar signs, tags, ampersands and underscores are drawn as text, not as formulas or markup."""
    figure = word_map(special_wv, SPECIAL[:2], topn=4)
    axes = matplotlib.draw(figure).axes[0]
    texts, legend_texts = axes.texts, axes.get_legend().get_texts()
    assert sorted(text.get_text() for text in texts) == sorted(SPECIAL)
    assert not any(text.get_parse_math() for text in [*texts, *legend_texts])
    assert [text.get_text().strip() for text in legend_texts] == SPECIAL[:2]
    traces = plotly.draw(figure.panels[0]).data
    shown = dict(pair for trace in traces for pair in zip(trace.customdata, trace.text, strict=True))
    assert shown["<b>bold</b>"] == "&lt;b&gt;bold&lt;/b&gt;"
    assert shown["$x$"] == "<b>&#36;x&#36;</b>"


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "html"])
def test_save_figure(special_wv, tmp_path, ending):
    """Each format has its signature, and no other file is left behind."""
    path = tmp_path / f"words.{ending}"
    save(word_map(special_wv, SPECIAL), path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}[ending]
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_save_figure_with_wrong_extension(tmp_path):
    """The error lists the allowed extensions."""
    with pytest.raises(ValueError, match=r"'path' must be a name ending in .html, .png, .svg, .pdf. Got .*x.gif"):
        save(loss_functions(), tmp_path / "x.gif")


@pytest.mark.parametrize(("library", "ending"), [("matplotlib.figure", "png"), ("plotly.graph_objects", "html")])
def test_missing_library(tmp_path, monkeypatch, library, ending):
    """If the plotting library is not installed, the error shows the pip command."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"pip install 'gensim-wordrank\[plot\]'"):
        save(loss_functions(), tmp_path / f"x.{ending}")


def test_import_does_not_load_plotting_libraries():
    """Importing gensim_wordrank.plots imports none of the libraries of the extra."""
    script = "import sys, gensim_wordrank.plots; print({'matplotlib', 'plotly', 'sklearn'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout == b"set()\n"

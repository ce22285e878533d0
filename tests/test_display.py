"""What objects show of themselves in terminals and notebooks."""

import logging
import re
import sys
import webbrowser
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank._utils import display
from gensim_wordrank.evaluation import Score, Scores, bundled_sets, compare, evaluate
from gensim_wordrank.evaluation.scores import Unknown
from gensim_wordrank.plots import Document, Heading, Paragraph, Table, loss_curves

KNOWN = np.array([True, True, False, True])


@pytest.fixture(scope="module")
def model(two_worlds):
    """A small model."""
    return WordRank(two_worlds, vector_size=4, epochs=3)


@pytest.fixture
def score():
    """Three correct answers; one question has an unknown word."""
    return Score("toy & co", "analogy", KNOWN.astype(float), np.empty(0), KNOWN, Unknown.ZERO)


def cells(html):
    """Return the text of the cells of a table, row by row."""
    rows = re.findall("<tr>(.*?)</tr>", html)
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in re.findall("<t[hd]>(.*?)</t[hd]>", row)] for row in rows]


def test_model(model):
    """A model shows its size, epochs, pairs and loss, and in a notebook also the curve of the loss."""
    shown = f"WordRank(words={len(model.wv)}, dimensions=4, epochs=3, pairs={model.cooccurrence.nnz:,}, loss="
    assert repr(model).startswith(shown)
    assert ["words", str(len(model.wv))] in cells(model._repr_html_())
    points = re.search('points="(.*?)"', model._repr_html_())[1].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert heights == sorted(heights)  # from the top: the loss falls
    assert repr(WordRank(vector_size=7)) == "WordRank(words=0, dimensions=7, epochs=0)"
    assert "points" not in WordRank()._repr_html_()


def test_counts():
    """Counts show their size, and in a notebook the counts of frequent words with each other, larger ones darker."""
    counts = Cooccurrence.from_corpus([["a", "b", "<c>"], ["b", "<c>"]], window=2, min_count=1)
    assert repr(counts) == "<Cooccurrence: 3 words, 6 pairs, 0.0 MB>"
    html = counts._repr_html_()
    assert cells(html) == [
        ["", "<c>", "b", "a"],
        ["<c>", "0", "2", "0.5"],
        ["b", "2", "0", "1"],
        ["a", "0.5", "1", "0"],
    ]
    opacity = {count: share for share, count in re.findall(r"178, ([\d.]+)\).*?>([\d.]+)<", html)}
    assert float(opacity["2"]) > float(opacity["1"]) > float(opacity["0.5"]) > float(opacity["0"]) == 0
    for other in (Cooccurrence.from_matrix(np.zeros((0, 0))), Cooccurrence.from_matrix(np.eye(2, 30))):
        assert other._repr_html_().startswith("<table>\n<caption>Cooccurrence: ")


def test_scores(score, model):
    """Scores show the paper's figure and gensim's, and in a notebook bars; a comparison shows its interval."""
    assert repr(score) == "<Score on toy & co: 75.0 (25.0 to 100.0), 25.0% of 4 items unknown>"
    assert cells(score._repr_html_())[1][:6] == ["toy & co", "75.0", "25.0 to 100.0", "4", "25.0%", "100.0"]
    width = re.search('<rect x="0.0" y="2" width="([0-9.]+)"', score._repr_html_())[1]
    assert float(width) == 0.75 * display.BAR_WIDTH
    scores = evaluate(model.wv, bundled_sets())
    assert isinstance(scores, Scores)
    assert [row.split()[0] for row in repr(scores).splitlines()[4:]][::2] == [
        "wordsim353",
        "questions-words",
        "syntactic",
    ]
    assert len(cells(scores._repr_html_())) == 6
    assert repr(compare(score, score)) == "<Comparison: +0.0 (+0.0 to +0.0), p = 1.000>"
    assert cells(compare(score, score)._repr_html_())[1][:3] == ["+0.0", "+0.0 to +0.0", "1.000"]
    undefined = Score("none", "similarity", np.zeros(2), np.zeros(2), np.zeros(2, bool), Unknown.SKIP)
    assert repr(undefined) == "<Score on none: nan (nan to nan), 100.0% of 2 items unknown>"
    assert "<rect" not in undefined._repr_html_()


def test_pictures(model):
    """A figure is a picture in a notebook, and a report is its text with pictures; texts are escaped."""
    figure = loss_curves({"a <b>": model.training_losses})
    assert repr(figure) == "<Figure 'Training loss of a <b>' with 1 panel>"
    assert figure._repr_png_().startswith(b"\x89PNG")
    report = Document("<R>", [Heading("H"), Paragraph("x < y"), Table(["a"], [["1"]]), figure])
    assert repr(report) == "<Document '<R>' with 4 blocks>"
    html = report._repr_html_()
    assert html.startswith("<h1>&lt;R&gt;</h1>\n<h2>H</h2>\n<p>x &lt; y</p>\n<table>")
    assert '<img src="data:image/png;base64,' in html
    assert "<script" not in html


def test_show(model, monkeypatch, caplog, tmp_path):
    """`show` opens an interactive page in the browser, or in the notebook that runs."""
    figure, opened, shown = loss_curves({"toy": model.training_losses}), [], []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with caplog.at_level(logging.WARNING):
        figure.show()
    (page,) = tmp_path.iterdir()
    assert opened == [page.as_uri()]
    assert "Training loss of toy" in page.read_text()
    assert f"there is no browser: open '{page}'" in caplog.text
    ipython = SimpleNamespace(display=shown.append, HTML=str)
    kernel = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=ipython, get_ipython=lambda: kernel))
    Document("report", [figure]).show()
    assert shown[0].startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert len(opened) == 1

"""Why two words are near, on texts where the answer is known."""

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.analysis.reasons import Explainer, Explanation, SharedContext, with_lines
from gensim_wordrank.evaluation import LoadedModel
from gensim_wordrank.plots import Table, model_report, word_map

SMALL = {"vector_size": 16, "window": 3, "min_count": 1, "epochs": 10}
SHARED = {f"shared{i}" for i in range(4)}


def text_with_known_reasons():
    """`coffee` and `tea` have four contexts in common, and four that each has for itself; other words have others."""
    random = np.random.default_rng(0)
    sentences = []
    for _ in range(1500):
        word = str(random.choice(["coffee", "tea"]))
        own = [f"{word}{i}" for i in range(4)]
        sentences.append([str(random.choice(sorted(SHARED))), word, str(random.choice(own))])
        sentences.append([f"other{i}" for i in random.permutation(30)[:4]])
    return sentences


@pytest.fixture(scope="module")
def text():
    """The text."""
    return text_with_known_reasons()


@pytest.fixture(scope="module")
def model(text):
    """A model of it."""
    return WordRank(text, **SMALL)


def test_known_reasons(model):
    """The contexts that two words share are the reasons; those of only one of them are not among them."""
    found = model.explain("coffee", "tea", topn=4)
    assert {each.context for each in found.contexts} == SHARED
    assert found.n_shared == 4
    assert sum(each.part for each in found.contexts) == pytest.approx(found.shared)
    assert found.cosine / 2 < found.shared <= found.cosine


def test_parts_add_up_to_the_cosine(model):
    """The parts of all contexts add up to the cosine, and equal those of a direct calculation."""
    explainer, wv = Explainer(model), model.wv
    for one, other in (("coffee", "tea"), ("other1", "other2"), ("coffee", "other3")):
        a, b = (wv[word].astype(np.float64) for word in (one, other))
        shared, weights = np.array([3, 5]), np.array([0.5, 1.0])
        parts = explainer._parts(a, b, shared, weights)
        assert parts.sum() == pytest.approx(wv.similarity(one, other), abs=1e-5)
        v = model.context_vectors.astype(np.float64)
        w = np.full(len(v), 1e-3 * 1.5 / len(v))
        w[shared] += weights
        values, axes = np.linalg.eigh(sum(each * np.outer(row, row) for each, row in zip(w, v, strict=True)))
        root = axes @ np.diag(values**-0.5) @ axes.T
        expected = [each * (root @ row @ a) * (root @ row @ b) for each, row in zip(w, v, strict=True)]
        np.testing.assert_allclose(parts, np.array(expected) / np.linalg.norm(a) / np.linalg.norm(b), atol=1e-6)


def test_reasons_are_causes(text):
    """Without the counts of the contexts that add most, two words are no longer near; without others, they are."""

    def cosine(dropped):
        kept = [[word for word in sentence if word not in dropped] for sentence in text]
        return WordRank(kept, **SMALL).wv.similarity("coffee", "tea")

    model = WordRank(text, **SMALL)
    best = {each.context for each in model.explain("coffee", "tea", topn=3).contexts}
    assert cosine(best) < cosine({"coffee0", "coffee1", "tea0"}) - 0.2


def test_counts_and_ranks(model):
    """Counts are those of the matrix, and ranks those of all scores."""
    each = model.explain("coffee", "tea").contexts[0]
    i, j, k = (model.wv.key_to_index[word] for word in ("coffee", "tea", each.context))
    matrix = model.cooccurrence.matrix
    assert each.counts == (pytest.approx(matrix[i, k], abs=0.01), pytest.approx(matrix[j, k], abs=0.01))
    for row, rank in zip((i, j), each.ranks, strict=True):
        scores = model.context_vectors @ model.wv.vectors[row] + model.context_bias
        assert rank == np.count_nonzero(scores > scores[k])


def test_example_lines(model, text):
    """Lines hold the word and the context; they are looked for within the window, on the side that was counted."""
    for each in model.explain("coffee", "tea", sentences=text).contexts:
        assert {"coffee", each.context} <= set(each.lines[0].split())
        assert {"tea", each.context} <= set(each.lines[1].split())
    wanted = Explanation(("a", "b"), 0.5, 0.5, 1, [SharedContext("c", 0.5, (1.0, 1.0), (0, 0))])
    lines = [["a", "x", "x", "x", "c"], ["a", "c"], ["c", "b"]]
    assert with_lines(wanted, lines, 3).contexts[0].lines == ("a c", "c b")
    assert with_lines(wanted, lines, 3, symmetric=False).contexts[0].lines == ("", "c b")


def test_counts_are_needed(model, tmp_path):
    """A model that was saved without its counts says how to keep them."""
    model.save(tmp_path / "model", format="safetensors")
    with pytest.raises(RuntimeError, match="--with-counts"):
        WordRank.load(tmp_path / "model").explain("coffee", "tea")
    with pytest.raises(KeyError, match="milk"):
        model.explain("coffee", "milk")


def test_words_without_shared_contexts():
    """Words that share no context have no reasons, and all of their cosine is that of others."""
    model = WordRank([["a", "b"], ["c", "d"], ["e", "f"]] * 50, **SMALL)
    found = model.explain("a", "c")
    assert (found.n_shared, found.shared, found.contexts) == (0, 0, [])
    assert found.summary() == ""


def test_reasons_of_a_matrix():
    """Models of counts that are not of a text have reasons, too: things that are bought together."""
    baskets = np.random.default_rng(0).integers(0, 2, (200, 8))
    together = baskets.T @ baskets * (1 - np.eye(8, dtype=int))
    model = WordRank.from_cooccurrence(Cooccurrence.from_matrix(together), vector_size=4)
    assert model.explain(0, 1).n_shared == 6


def test_pictures_and_reports(model):
    """Maps show the reasons under the mouse, and reports in a table."""
    figure = word_map(model.wv, ["coffee"], 20, explainer=Explainer(model))
    texts = dict(zip(figure.panels[0].series[0].labels, figure.panels[0].series[0].hover_texts, strict=True))
    assert "because" not in texts["coffee"]
    assert "near coffee because of shared" in texts["tea"]
    loaded = LoadedModel("text", model.wv, explainer=Explainer(model))
    tables = [block for block in model_report([loaded], [[]], ["coffee"]).blocks if isinstance(block, Table)]
    rows = [row for table in tables for row in table.rows if table.head[-1] == "shared contexts"]
    near = model.wv.most_similar("coffee", topn=3)
    assert [row[1] for row in rows] == [f"{word} {cosine:.2f}" for word, cosine in near]
    assert [row[2] for row in rows] == [model.explain("coffee", word, 6).summary(6) for word, _ in near]

"""Reports about one or more models."""

from dataclasses import replace

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import AnalogySet, LoadedModel, SimilaritySet, compare, evaluate, load_model, similarity
from gensim_wordrank.evaluation.load import describe
from gensim_wordrank.plots import Figure, Heading, Paragraph, Table, model_report
from gensim_wordrank.plots.report import default_words, score_rows

PAIRS = [("sea1", "sea2"), ("sea3", "sea4"), ("sky1", "sky2"), ("sea1", "sky1"), ("sea2", "sky5"), ("sky3", "cloud")]
TESTS = [
    SimilaritySet("worlds", PAIRS, np.array([9.0, 8.0, 9.5, 1.0, 2.0, 3.0])),
    AnalogySet("twins", [("sea1", "sea2", "sky1")], [("sky2",)], ["gram1"]),
]


@pytest.fixture(scope="module")
def models(two_worlds, tmp_path_factory):
    """A WordRank model, a Word2Vec model and a vector file, loaded from disk."""
    place = tmp_path_factory.mktemp("models")
    ours = WordRank(two_worlds, vector_size=8, epochs=3, rank_loss="dcg")
    ours.save(place / "ours.model")
    other = Word2Vec(two_worlds, vector_size=8, epochs=3, workers=1)
    other.save(str(place / "other.model"))
    other.wv.save_word2vec_format(str(place / "vectors.txt"))
    return [load_model(str(place / name), trust=True) for name in ("ours.model", "other.model", "vectors.txt")]


def scores(models):
    """Score the models on the small test sets."""
    return [evaluate(model.wv, TESTS, model.analogy_vectors) for model in models]


def tables(document):
    """Return the first table below each heading."""
    found, heading = {}, ""
    for block in document.blocks:
        heading = block.text if isinstance(block, Heading) else heading
        if isinstance(block, Table):
            found.setdefault(heading, block)
    return found


def test_report_about_one_model(models):
    """The report shows scores with intervals, sections, the training loss, neighbours and parameters."""
    ours = models[0]
    page = model_report([ours], scores([ours]), ["sea1", "sky1"])
    found = tables(page)
    assert list(found) == ["Scores", "Sections of twins", "Neighbours", "Parameters"]
    score = similarity(ours.wv, TESTS[0])
    low, high = score.interval()
    assert found["Scores"].rows[0] == [
        "worlds", ours.name, f"{100 * score.value:.1f}", f"{100 * low:.1f} to {100 * high:.1f}", "16.7%"
    ]  # fmt: skip
    assert dict(found["Parameters"].rows).items() >= {"rank_loss": "dcg", "epochs": "3", "vector_size": "8"}.items()
    near, cosine = ours.wv.most_similar("sea1", topn=1)[0]
    assert found["Neighbours"].rows[0][1].startswith(f"{near} {cosine:.2f}, ")
    bars, curve, words = (block for block in page.blocks if isinstance(block, Figure))
    assert [panel.y_names for panel in bars.panels] == [["worlds"], ["twins"]]
    assert curve.panels[0].series[0].y.tolist() == list(ours.losses)
    assert [series.name for series in words.panels[0].series] == ["sea1", "sky1"]


def summary(page):
    """Return the paragraphs before the second heading."""
    blocks = page.blocks[1:]
    end = next(number for number, block in enumerate(blocks) if isinstance(block, Heading))
    return [block.text for block in blocks[:end] if isinstance(block, Paragraph)]


def test_a_report_begins_with_a_summary(models):
    """It says what the models are, what unknown words do to the scores, and where models differ clearly."""
    ours, other = models[:2]
    page = model_report([ours, other], scores([ours, other]), ["sea1"])
    assert page.blocks[0] == Heading("Summary")
    first, second, unknown, comparison = summary(page)
    assert first.startswith(f"{ours.name}: {len(ours.wv)} words, 8 dimensions, 3 epochs, ")
    assert second == f"{other.name}: {len(other.wv)} words, 8 dimensions, 3 epochs."
    assert unknown == "0% to 17% of the items of a test set contain unknown words; these items score 0."
    assert comparison == f"{other.name} compared with {ours.name}: no clear difference on worlds, twins."
    worse = [replace(score, outcomes=-score.outcomes) for score in scores([ours])[0]]
    assert "worse on worlds" in summary(model_report([ours, other], [scores([ours])[0], worse], ["sea1"]))[3]


def test_losses_of_different_objectives_are_apart(models, two_worlds):
    """Two models share a panel of losses only if the objective, the words and their counts are the same."""

    def loaded(name, text, **parameters):
        model = WordRank(text, vector_size=4, epochs=2, **parameters)
        return LoadedModel(name, model.wv, losses=model.training_losses, parameters=describe(model))

    same = [loaded("a", two_worlds), loaded("b", two_worlds, seed=2)]
    others = [loaded("c", two_worlds, rank_loss="dcg"), loaded("d", [*two_worlds, two_worlds[0]])]
    page = model_report([*same, *others], [[]] * 4, [])
    curves = next(block for block in page.blocks if isinstance(block, Figure))
    assert [[series.name for series in panel.series] for panel in curves.panels] == [["a", "b"], ["c"], ["d"]]


def test_several_models_are_compared_with_the_first(models):
    """Further models have the difference to the first; other tables have one row or column per model."""
    page = model_report(models, scores(models), ["sea1"])
    found = tables(page)
    names = [model.name for model in models]
    assert [row[:2] for row in found["Scores"].rows[:3]] == [["worlds", name] for name in names]
    assert [bool(row[-1]) for row in found["Scores"].rows] == [False, True, True] * 2
    expected = compare(*(similarity(models[i].wv, TESTS[0]) for i in (1, 0)))
    assert (
        found["Scores"]
        .rows[1][-1]
        .startswith(f"{100 * expected.difference:+.1f} vs. the first model (p = {expected.p_value:.3f}, ")
    )
    assert found["Neighbours"].head == ["word", *names]
    maps = [block for block in page.blocks if isinstance(block, Figure) and block.panels[0].is_map]
    assert [figure.title for figure in maps] == [f"Neighbours of sea1 in {name}" for name in names]


def test_report_about_vectors_alone(models):
    """A vector file has no training loss and no parameters; Word2Vec has parameters."""
    assert list(tables(model_report(models[2:], scores(models[2:]), ["sea1"]))) == [
        "Scores",
        "Sections of twins",
        "Neighbours",
    ]
    page = model_report(models[1:2], scores(models[1:2]), ["sea1"])
    assert dict(tables(page)["Parameters"].rows).items() >= {"epochs": "3", "negative": "5"}.items()
    assert "Training" not in [block.text for block in page.blocks if isinstance(block, Heading)]


def test_unknown_words_in_a_report(models):
    """The table marks unknown words; if a model knows none of the words, an error names it."""
    found = tables(model_report(models[:1], [[]], ["sea1", "cloud"]))
    assert found["Neighbours"].rows[1] == ["cloud", "(unknown)"]
    with pytest.raises(ValueError, match="ours.model' knows none of the words cloud, rain. Choose others"):
        model_report(models[:1], [[]], ["cloud", "rain"])


def test_default_words():
    """Words of the test sets that all models know, from frequent to rare; if there are none, any shared words."""
    one, two = KeyedVectors(1), KeyedVectors(1)
    one.add_vectors(["the", "sky1", "sea1", "sea2", "only"], np.ones((5, 1)))
    two.add_vectors(["sea2", "sea1", "the", "sky1"], np.ones((4, 1)))
    models = [LoadedModel("one", one), LoadedModel("two", two)]
    assert default_words(models, TESTS) == ["sky1", "sea1", "sea2"]
    assert default_words(models, TESTS, number=1) == ["sky1"]
    assert default_words(models, []) == ["the", "sky1", "sea1", "sea2"]


def test_sets_with_the_same_name(models):
    """Two test sets with the same name have separate rows."""
    twice = [TESTS[1], TESTS[1]]
    results = [evaluate(model.wv, twice, model.analogy_vectors) for model in models[:2]]
    assert len(score_rows(["a", "b"], results)) == 4
    sections = [
        b for b in model_report(models[:2], results, ["sea1"]).blocks if isinstance(b, Table) and b.head[0] == "section"
    ]
    assert [len(row) for table in sections for row in table.rows] == [3] * 6

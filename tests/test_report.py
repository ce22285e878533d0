"""Reports about models."""

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim_wordrank import WordRank, evaluation
from gensim_wordrank.evaluation.load import load
from gensim_wordrank.evaluation.testsets import AnalogySet, SimilaritySet
from gensim_wordrank.plots.documents import Heading, Table
from gensim_wordrank.plots.report import Subject, report, score_rows, usual_words
from gensim_wordrank.plots.spec import Picture

PAIRS = [("sea1", "sea2"), ("sea3", "sea4"), ("sky1", "sky2"), ("sea1", "sky1"), ("sea2", "sky5"), ("sky3", "cloud")]
TESTS = [
    SimilaritySet("worlds", PAIRS, np.array([9.0, 8.0, 9.5, 1.0, 2.0, 3.0])),
    AnalogySet("twins", [("sea1", "sea2", "sky1")], [("sky2",)], ["gram1"]),
]


@pytest.fixture(scope="module")
def subjects(two_worlds, tmp_path_factory):
    """A model of ours, one of gensim's and a file of vectors, read from their files."""
    place = tmp_path_factory.mktemp("models")
    ours = WordRank(two_worlds, vector_size=8, epochs=3, rank_loss="dcg")
    ours.save(place / "ours.model")
    other = Word2Vec(two_worlds, vector_size=8, epochs=3, workers=1)
    other.save(str(place / "other.model"))
    other.wv.save_word2vec_format(str(place / "vectors.txt"))
    return [load(str(place / name)) for name in ("ours.model", "other.model", "vectors.txt")]


def scores(subjects):
    """Score them on the small sets."""
    return [evaluation.evaluate(subject.words, TESTS, subject.sums) for subject in subjects]


def tables(document):
    """Return the first table below each heading."""
    found, heading = {}, ""
    for block in document.blocks:
        heading = block.text if isinstance(block, Heading) else heading
        if isinstance(block, Table):
            found.setdefault(heading, block)
    return found


def test_one_model_has_all_parts(subjects):
    """Scores with intervals, sections, the training curve, neighbours and parameters, as the model tells them."""
    ours = subjects[0]
    page = report([ours], scores([ours]), ["sea1", "sky1"])
    found = tables(page)
    assert list(found) == ["Scores", "Sections of twins", "Neighbours", "Parameters"]
    score = evaluation.similarity(ours.words, TESTS[0])
    low, high = score.interval()
    assert found["Scores"].rows[0] == [
        "worlds", ours.name, f"{100 * score.value:.1f}", f"{100 * low:.1f} to {100 * high:.1f}", "16.7%"
    ]  # fmt: skip
    assert dict(found["Parameters"].rows).items() >= {"rank_loss": "dcg", "epochs": "3", "vector_size": "8"}.items()
    near, cosine = ours.words.most_similar("sea1", topn=1)[0]
    assert found["Neighbours"].rows[0][1].startswith(f"{near} {cosine:.2f}, ")
    curve, words = (block for block in page.blocks if isinstance(block, Picture))
    assert curve.panels[0].series[0].y.tolist() == list(ours.losses)
    assert [series.name for series in words.panels[0].series] == ["sea1", "sky1"]


def test_several_models_are_compared_with_the_first(subjects):
    """Each further score has its difference and verdict; a column or row a model elsewhere."""
    page = report(subjects, scores(subjects), ["sea1"])
    found = tables(page)
    names = [subject.name for subject in subjects]
    assert [row[:2] for row in found["Scores"].rows[:3]] == [["worlds", name] for name in names]
    assert [bool(row[-1]) for row in found["Scores"].rows] == [False, True, True] * 2
    verdict = evaluation.compare(*(evaluation.similarity(subjects[i].words, TESTS[0]) for i in (1, 0)))
    assert (
        found["Scores"]
        .rows[1][-1]
        .startswith(f"{100 * verdict.difference:+.1f} against the first, p = {verdict.p:.3f}")
    )
    assert found["Neighbours"].head == ["word", *names]
    maps = [block for block in page.blocks if isinstance(block, Picture) and block.panels[0].is_map]
    assert [picture.title for picture in maps] == [f"Neighbours of sea1 in {name}" for name in names]


def test_vectors_have_no_curve_and_no_parameters(subjects):
    """A file of vectors is scored and shown; of Word2Vec its parameters are known."""
    assert list(tables(report(subjects[2:], scores(subjects[2:]), ["sea1"]))) == [
        "Scores",
        "Sections of twins",
        "Neighbours",
    ]
    page = report(subjects[1:2], scores(subjects[1:2]), ["sea1"])
    assert dict(tables(page)["Parameters"].rows).items() >= {"epochs": "3", "negative": "5"}.items()
    assert "Training" not in [block.text for block in page.blocks if isinstance(block, Heading)]


def test_words_that_a_model_does_not_know_are_told(subjects):
    """A cell says so; if no word is known there is nothing to show."""
    found = tables(report(subjects[:1], [[]], ["sea1", "cloud"]))
    assert found["Neighbours"].rows[1] == ["cloud", "(not known)"]
    with pytest.raises(ValueError, match="ours.model' knows none of the words cloud, rain. Choose others"):
        report(subjects[:1], [[]], ["cloud", "rain"])


def test_usual_words_are_rated_and_known_to_all():
    """Words of the sets that all models know, from frequent to rare; without such words, any that are shared."""
    one, two = KeyedVectors(1), KeyedVectors(1)
    one.add_vectors(["the", "sky1", "sea1", "sea2", "only"], np.ones((5, 1)))
    two.add_vectors(["sea2", "sea1", "the", "sky1"], np.ones((4, 1)))
    subjects = [Subject("one", one), Subject("two", two)]
    assert usual_words(subjects, TESTS) == ["sky1", "sea1", "sea2"]
    assert usual_words(subjects, TESTS, number=1) == ["sky1"]
    assert usual_words(subjects, []) == ["the", "sky1", "sea1", "sea2"]


def test_sets_of_one_name_stay_apart(subjects):
    """Two sets that are called alike have their rows each."""
    twice = [TESTS[1], TESTS[1]]
    results = [evaluation.evaluate(subject.words, twice, subject.sums) for subject in subjects[:2]]
    assert len(score_rows(["a", "b"], results)) == 4
    sections = [
        b for b in report(subjects[:2], results, ["sea1"]).blocks if isinstance(b, Table) and b.head[0] == "section"
    ]
    assert [len(row) for table in sections for row in table.rows] == [3] * 6

"""Scores against gensim's own, and against what is known by construction."""

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim.test.utils import datapath
from gensim_wordrank.evaluation import scores
from gensim_wordrank.evaluation.scores import analogies, compare, evaluate, similarity
from gensim_wordrank.evaluation.testsets import AnalogySet, SimilaritySet, read_analogies, read_similarity, shipped
from scipy.stats import spearmanr


def keyed(words, vectors):
    """KeyedVectors from words and rows."""
    result = KeyedVectors(np.shape(vectors)[1])
    result.add_vectors(list(words), np.asarray(vectors, np.float32))
    return result


@pytest.fixture(scope="module")
def random_keyed():
    """Random vectors for every word of the shipped sets but some."""
    random = np.random.default_rng(4)
    words = {
        word.lower() for question in read_analogies(datapath("questions-words.txt")).questions for word in question
    }
    words |= {word for pair in read_similarity(datapath("wordsim353.tsv")).pairs for word in pair}
    kept = [word for word in sorted(words) if random.random() < 0.9]
    return keyed(kept, random.standard_normal((len(kept), 12)))


@pytest.mark.parametrize("skip", [True, False])
def test_similarity_is_that_of_gensim(random_keyed, skip):
    """Spearman's correlation and the share of unknown words agree with evaluate_word_pairs, both ways."""
    path = datapath("wordsim353.tsv")
    _, theirs, unknown = random_keyed.evaluate_word_pairs(path, dummy4unknown=not skip)
    score = similarity(random_keyed, read_similarity(path), "skip" if skip else "zero")
    assert score.value == pytest.approx(theirs[0], abs=1e-6)
    assert 100 * score.unknown_share == pytest.approx(unknown)
    assert 0.05 < score.unknown_share < 0.5


@pytest.mark.parametrize("skip", [True, False])
def test_analogies_are_those_of_gensim(random_keyed, skip):
    """Every section has the right answers that evaluate_word_analogies finds, with all words or some."""
    path = datapath("questions-words.txt")
    for restrict_vocab in (len(random_keyed), 400):
        total, sections = random_keyed.evaluate_word_analogies(
            path, restrict_vocab=restrict_vocab, dummy4unknown=not skip
        )
        score = analogies(random_keyed, read_analogies(path), "add", "skip" if skip else "zero", restrict_vocab)
        assert score.value == pytest.approx(total)
        ours = score.sections()
        for section in sections[:-1]:
            n = len(section["correct"]) + len(section["incorrect"])
            if n:
                assert ours[section["section"]] == pytest.approx(len(section["correct"]) / n)
            else:
                assert np.isnan(ours[section["section"]])


def test_blocks_do_not_show(random_keyed, monkeypatch):
    """Answers are the same whatever is looked at together."""
    test = read_analogies(datapath("questions-words.txt"))
    whole = analogies(random_keyed, test, "mul").outcome
    monkeypatch.setattr(scores, "BLOCK_BYTES", 4 * 1000 * 7)
    np.testing.assert_array_equal(analogies(random_keyed, test, "mul").outcome, whole)


def test_3cosmul_is_its_formula():
    """The answer is the word that maximises the product of moved cosines."""
    random = np.random.default_rng(2)
    vectors = random.standard_normal((30, 5))
    words = [f"w{i}" for i in range(30)]
    cosines = vectors @ vectors.T / np.outer(*[np.linalg.norm(vectors, axis=1)] * 2)
    moved = (1 + cosines) / 2
    questions, answers = [], []
    for a, b, c in random.integers(0, 30, (50, 3)):
        scores = moved[b] * moved[c] / (moved[a] + 0.001)
        scores[[a, b, c]] = -1
        questions.append((words[a], words[b], words[c]))
        answers.append((words[scores.argmax()],))
    test = AnalogySet("made", questions, answers, [""] * 50)
    assert analogies(keyed(words, vectors), test, "mul").value == 1.0


def test_any_of_several_answers_is_right():
    """BATS accepts several answers; those without a vector are no matter if one has one."""
    plane = keyed("abcd", [[3, 0], [3, 1], [0, 3], [0.5, 3]])
    for accepted, value in ((("d", "x"), 1.0), (("x", "D"), 1.0), (("a",), 0.0), (("x",), 0.0)):
        assert analogies(plane, AnalogySet("toy", [("a", "b", "c")], [accepted], [""])).value == value


def test_unknown_words_and_zero_vectors():
    """Without a known item the score is no number (skip) or 0 (zero); a vector of zeros has similarity 0."""
    test = SimilaritySet("toy", [("a", "b"), ("b", "c")], np.array([1.0, 2.0]))
    assert np.isnan(similarity(keyed("x", [[1, 0]]), test, "skip").value)
    assert np.isnan(similarity(keyed("x", [[1, 0]]), test, "skip").interval()[0])
    assert similarity(keyed("abc", [[0, 0], [1, 0], [1, 1]]), test).outcome.tolist() == pytest.approx([0, 0.5**0.5])
    questions = AnalogySet("toy", [("x", "y", "z")], [("w",)], [""])
    assert analogies(keyed("abc", np.eye(3)), questions).value == 0
    assert np.isnan(analogies(keyed("abc", np.eye(3)), questions, unknown="skip").value)


def test_intervals_hold_what_they_promise():
    """The interval of a share of right answers is about that of the binomial distribution."""
    random = np.random.default_rng(6)
    right = (random.random(2000) < 0.3).astype(float)
    score = scores.Score("made", "analogy", right, np.empty(0), np.ones(2000, bool), scores.Unknown.ZERO)
    low, high = score.interval()
    assert low < right.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.21 / 2000), rel=0.15)


def test_comparisons_tell_noise_from_progress():
    """A model with less noise is found better, one with other noise of the same size is not."""
    random = np.random.default_rng(8)
    vectors, n = random.standard_normal((600, 10)), 600
    words = [f"w{i}" for i in range(n)]
    pairs = random.integers(0, n, (400, 2))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    test = SimilaritySet(
        "made", [(words[i], words[j]) for i, j in pairs], (unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(1)
    )
    good, same, bad = (
        similarity(keyed(words, vectors + noise * random.standard_normal((n, 10))), test) for noise in (0.5, 0.5, 1.0)
    )
    better = compare(good, bad)
    assert better.is_real
    assert better.difference == pytest.approx(good.value - bad.value)
    assert better.interval[0] < better.difference < better.interval[1]
    assert not compare(good, same).is_real
    with pytest.raises(ValueError, match="the same set"):
        compare(good, similarity(keyed(words, vectors), test, "skip"))


def test_similarity_values_are_spearmans():
    """The value is SciPy's."""
    random = np.random.default_rng(1)
    test = SimilaritySet("made", [(f"w{i}", f"w{i + 1}") for i in range(50)], np.round(random.random(50), 1))
    score = similarity(keyed([f"w{i}" for i in range(51)], random.standard_normal((51, 4))), test)
    assert score.value == pytest.approx(spearmanr(score.outcome, test.ratings).statistic)


@pytest.mark.parametrize("unknown", ["zero", "skip"])
def test_what_is_not_a_number_is_no_progress(unknown):
    """Of models that know nothing, or so little that most resampled sets say nothing, none is ahead."""
    random = np.random.default_rng(3)
    pairs = [(f"a{i}", f"b{i}") for i in range(30)]
    test = SimilaritySet("toy", pairs, random.random(30))
    nothing = keyed(["x", "y"], np.eye(2))
    little = [keyed([*pairs[i], *pairs[i + 1]], random.standard_normal((4, 3))) for i in (0, 2)]
    for one, other in ((nothing, nothing), (nothing, little[0]), tuple(little)):
        found = compare(similarity(one, test, unknown), similarity(other, test, unknown))
        assert not found.is_real
    assert np.isnan(similarity(nothing, test, unknown).interval()).all()


def test_scores_on_other_sets_are_not_compared():
    """Though they have as many pairs."""
    words = keyed(["a", "b", "c"], np.eye(3))
    tests = [SimilaritySet("one", [("a", "b"), ("a", "c")], np.array(ratings)) for ratings in ([1.0, 2.0], [2.0, 1.0])]
    with pytest.raises(ValueError, match="must be scores on the same set"):
        compare(*(similarity(words, test) for test in tests))


@pytest.mark.parametrize("seed", range(8))
def test_spellings_of_a_word_are_one(tmp_path, seed):
    """As in gensim: no word of a question answers it, however it is spelt, and the answer may be spelt otherwise."""
    random = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(8)] + [f"W{i}" for i in random.permutation(8)[:5]]
    words = [words[i] for i in random.permutation(len(words))]
    mixed = keyed(words, random.standard_normal((len(words), 3)))
    questions = [" ".join(f"w{i}" for i in random.permutation(8)[:4]) for _ in range(60)]
    (tmp_path / "set.txt").write_text(": all\n" + "\n".join(questions))
    ours = analogies(mixed, read_analogies(tmp_path / "set.txt")).value
    assert ours == pytest.approx(mixed.evaluate_word_analogies(str(tmp_path / "set.txt"))[0])


def test_sections_may_be_called_semantic_and_syntactic():
    """Then these are they, and no totals."""
    words = keyed(["man", "woman", "king", "queen"], [[3, 0], [3, 1], [0, 3], [0.5, 3]])
    asked = [("man", "woman", "king"), ("man", "woman", "king"), ("man", "woman", "queen")]
    test = AnalogySet("toy", asked, [("queen",), ("man",), ("king",)], ["semantic", "syntactic", "syntactic"])
    assert analogies(words, test).sections() == {"semantic": 1.0, "syntactic": 0.5}


def test_a_small_vocabulary_is_small_for_similarity_too(random_keyed):
    """restrict_vocab is that of gensim, for both kinds."""
    path = datapath("wordsim353.tsv")
    _, theirs, unknown = random_keyed.evaluate_word_pairs(path, restrict_vocab=400, dummy4unknown=True)
    (score,) = evaluate(random_keyed, [read_similarity(path)], restrict_vocab=400)
    assert score.value == pytest.approx(theirs[0], abs=1e-6)
    assert 100 * score.unknown_share == pytest.approx(unknown)


def test_no_vectors_score_nothing():
    """Everything is unknown to an empty vocabulary."""
    empty = KeyedVectors(3)
    assert [score.unknown_share for score in evaluate(empty, shipped())] == [1.0, 1.0, 1.0]


def test_any_keyed_vectors_and_two_kinds():
    """Word2Vec's vectors are scored too; analogies use the second vectors if they are given."""
    model = Word2Vec([["love", "sex", "tiger", "cat"]] * 20, vector_size=4, min_count=1, epochs=1)
    scores = evaluate(model.wv, shipped(), unknown="skip")
    assert [score.kind for score in scores] == ["similarity", "similarity", "analogy"]
    plane = keyed("abcd", [[3, 0], [3, 1], [0, 3], [0.5, 3]])
    turned = keyed("abcd", [[3, 0], [0, 3], [1, 1], [-3, 0]])
    test = AnalogySet("toy", [("a", "b", "c")], [("d",)], [""])
    values = [evaluate(turned, [test])[0].value, evaluate(turned, [test], sums=plane)[0].value]
    assert values == [1.0, 1.0]

"""Scores agree with gensim's and with results known by construction."""

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim.test.utils import datapath
from gensim_wordrank.evaluation import (
    AnalogySet,
    Score,
    SimilaritySet,
    analogies,
    bundled_sets,
    compare,
    evaluate,
    read_analogies,
    read_similarity,
    similarity,
)
from gensim_wordrank.evaluation.scores import Unknown
from scipy.stats import spearmanr


def make_wv(words, vectors):
    """Return KeyedVectors with the given words and rows."""
    result = KeyedVectors(np.shape(vectors)[1])
    result.add_vectors(list(words), np.asarray(vectors, np.float32))
    return result


@pytest.fixture(scope="module")
def random_wv():
    """Random vectors for 90% of the words of the bundled sets."""
    random = np.random.default_rng(4)
    words = {
        word.lower() for question in read_analogies(datapath("questions-words.txt")).questions for word in question
    }
    words |= {word for pair in read_similarity(datapath("wordsim353.tsv")).pairs for word in pair}
    kept = [word for word in sorted(words) if random.random() < 0.9]
    return make_wv(kept, random.standard_normal((len(kept), 12)))


@pytest.mark.parametrize("skip", [True, False])
def test_similarity_agrees_with_gensim(random_wv, skip):
    """The correlation and the share of unknown words equal those of evaluate_word_pairs, for zero and skip."""
    path = datapath("wordsim353.tsv")
    _, theirs, unknown = random_wv.evaluate_word_pairs(path, dummy4unknown=not skip)
    score = similarity(random_wv, read_similarity(path), "skip" if skip else "zero")
    assert score.value == pytest.approx(theirs[0], abs=1e-6)
    assert 100 * score.unknown_share == pytest.approx(unknown)
    assert 0.05 < score.unknown_share < 0.5


@pytest.mark.parametrize("skip", [True, False])
def test_analogies_agree_with_gensim(random_wv, skip):
    """Each section has the accuracy of evaluate_word_analogies, for the whole vocabulary and a part."""
    path = datapath("questions-words.txt")
    for restrict_vocab in (len(random_wv), 400):
        total, sections = random_wv.evaluate_word_analogies(path, restrict_vocab=restrict_vocab, dummy4unknown=not skip)
        score = analogies(random_wv, read_analogies(path), "add", "skip" if skip else "zero", restrict_vocab)
        assert score.value == pytest.approx(total)
        ours = score.sections()
        for section in sections[:-1]:
            n = len(section["correct"]) + len(section["incorrect"])
            if n:
                assert ours[section["section"]] == pytest.approx(len(section["correct"]) / n)
            else:
                assert np.isnan(ours[section["section"]])


def test_block_size_does_not_change_answers(random_wv):
    """Answers are the same however many questions are answered together."""
    test = read_analogies(datapath("questions-words.txt"))
    in_blocks = analogies(random_wv, test, "mul", block_bytes=4 * 1000 * 7).outcomes
    np.testing.assert_array_equal(in_blocks, analogies(random_wv, test, "mul").outcomes)


def test_3cosmul_follows_its_formula():
    """The answer maximizes the product of shifted cosines."""
    random = np.random.default_rng(2)
    vectors = random.standard_normal((30, 5))
    words = [f"w{i}" for i in range(30)]
    cosines = vectors @ vectors.T / np.outer(*[np.linalg.norm(vectors, axis=1)] * 2)
    shifted = (1 + cosines) / 2
    questions, answers = [], []
    for a, b, c in random.integers(0, 30, (50, 3)):
        scores = shifted[b] * shifted[c] / (shifted[a] + 0.001)
        scores[[a, b, c]] = -1
        questions.append((words[a], words[b], words[c]))
        answers.append((words[scores.argmax()],))
    test = AnalogySet("made", questions, answers, [""] * 50)
    assert analogies(make_wv(words, vectors), test, "mul").value == 1.0


def test_any_accepted_answer_is_correct():
    """BATS accepts several answers; at least one of them must have a vector."""
    plane = make_wv("abcd", [[3, 0], [3, 1], [0, 3], [0.5, 3]])
    for accepted, value in ((("d", "x"), 1.0), (("x", "D"), 1.0), (("a",), 0.0), (("x",), 0.0)):
        assert analogies(plane, AnalogySet("toy", [("a", "b", "c")], [accepted], [""])).value == value


def test_unknown_words_and_zero_vectors():
    """If every item is unknown, the score is NaN (skip) or 0 (zero); a zero vector has similarity 0."""
    test = SimilaritySet("toy", [("a", "b"), ("b", "c")], np.array([1.0, 2.0]))
    assert np.isnan(similarity(make_wv("x", [[1, 0]]), test, "skip").value)
    assert np.isnan(similarity(make_wv("x", [[1, 0]]), test, "skip").interval()[0])
    assert similarity(make_wv("abc", [[0, 0], [1, 0], [1, 1]]), test).outcomes.tolist() == pytest.approx([0, 0.5**0.5])
    questions = AnalogySet("toy", [("x", "y", "z")], [("w",)], [""])
    assert analogies(make_wv("abc", np.eye(3)), questions).value == 0
    assert np.isnan(analogies(make_wv("abc", np.eye(3)), questions, unknown="skip").value)


def test_interval_matches_the_binomial_interval():
    """The interval of an analogy score is close to that of the binomial distribution."""
    random = np.random.default_rng(6)
    correct = (random.random(2000) < 0.3).astype(float)
    score = Score("made", "analogy", correct, np.empty(0), np.ones(2000, bool), Unknown.ZERO)
    low, high = score.interval()
    assert low < correct.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.21 / 2000), rel=0.15)


def test_comparison_detects_real_differences():
    """A model with less noise is significantly better; one with equal noise is not."""
    random = np.random.default_rng(8)
    vectors, n = random.standard_normal((600, 10)), 600
    words = [f"w{i}" for i in range(n)]
    pairs = random.integers(0, n, (400, 2))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    test = SimilaritySet(
        "made", [(words[i], words[j]) for i, j in pairs], (unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(1)
    )
    good, same, bad = (
        similarity(make_wv(words, vectors + noise * random.standard_normal((n, 10))), test) for noise in (0.5, 0.5, 1.0)
    )
    better = compare(good, bad)
    assert better.is_significant
    assert better.difference == pytest.approx(good.value - bad.value)
    assert better.interval[0] < better.difference < better.interval[1]
    assert not compare(good, same).is_significant
    with pytest.raises(ValueError, match="the same set"):
        compare(good, similarity(make_wv(words, vectors), test, "skip"))


def test_similarity_is_spearmans_correlation():
    """The value equals that of scipy.stats.spearmanr."""
    random = np.random.default_rng(1)
    test = SimilaritySet("made", [(f"w{i}", f"w{i + 1}") for i in range(50)], np.round(random.random(50), 1))
    score = similarity(make_wv([f"w{i}" for i in range(51)], random.standard_normal((51, 4))), test)
    assert score.value == pytest.approx(spearmanr(score.outcomes, test.ratings).statistic)


@pytest.mark.parametrize("unknown", ["zero", "skip"])
def test_undefined_scores_are_not_significant(unknown):
    """Models that know too few words for most bootstrap samples to have a score do not differ significantly."""
    random = np.random.default_rng(3)
    pairs = [(f"a{i}", f"b{i}") for i in range(30)]
    test = SimilaritySet("toy", pairs, random.random(30))
    nothing = make_wv(["x", "y"], np.eye(2))
    little = [make_wv([*pairs[i], *pairs[i + 1]], random.standard_normal((4, 3))) for i in (0, 2)]
    for first, second in ((nothing, nothing), (nothing, little[0]), tuple(little)):
        found = compare(similarity(first, test, unknown), similarity(second, test, unknown))
        assert not found.is_significant
    assert np.isnan(similarity(nothing, test, unknown).interval()).all()


def test_scores_on_different_sets_are_not_compared():
    """Comparing sets of the same name and size but different ratings raises an error."""
    words = make_wv(["a", "b", "c"], np.eye(3))
    tests = [SimilaritySet("one", [("a", "b"), ("a", "c")], np.array(ratings)) for ratings in ([1.0, 2.0], [2.0, 1.0])]
    with pytest.raises(ValueError, match="must be scores on the same set"):
        compare(*(similarity(words, test) for test in tests))


@pytest.mark.parametrize("seed", range(8))
def test_case_is_ignored(tmp_path, seed):
    """As in gensim, no spelling of a question word is an answer, and any spelling of the answer is correct."""
    random = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(8)] + [f"W{i}" for i in random.permutation(8)[:5]]
    words = [words[i] for i in random.permutation(len(words))]
    mixed = make_wv(words, random.standard_normal((len(words), 3)))
    questions = [" ".join(f"w{i}" for i in random.permutation(8)[:4]) for _ in range(60)]
    (tmp_path / "set.txt").write_text(": all\n" + "\n".join(questions))
    ours = analogies(mixed, read_analogies(tmp_path / "set.txt")).value
    assert ours == pytest.approx(mixed.evaluate_word_analogies(str(tmp_path / "set.txt"))[0])


def test_sections_named_semantic_and_syntactic():
    """Sections of these names replace the totals."""
    words = make_wv(["man", "woman", "king", "queen"], [[3, 0], [3, 1], [0, 3], [0.5, 3]])
    asked = [("man", "woman", "king"), ("man", "woman", "king"), ("man", "woman", "queen")]
    test = AnalogySet("toy", asked, [("queen",), ("man",), ("king",)], ["semantic", "syntactic", "syntactic"])
    assert analogies(words, test).sections() == {"semantic": 1.0, "syntactic": 0.5}


def test_restrict_vocab_applies_to_similarity(random_wv):
    """restrict_vocab limits the vocabulary for similarity as in gensim."""
    path = datapath("wordsim353.tsv")
    _, theirs, unknown = random_wv.evaluate_word_pairs(path, restrict_vocab=400, dummy4unknown=True)
    (score,) = evaluate(random_wv, [read_similarity(path)], restrict_vocab=400)
    assert score.value == pytest.approx(theirs[0], abs=1e-6)
    assert 100 * score.unknown_share == pytest.approx(unknown)


def test_empty_vocabulary():
    """All items are unknown to an empty vocabulary."""
    empty = KeyedVectors(3)
    assert [score.unknown_share for score in evaluate(empty, bundled_sets())] == [1.0, 1.0, 1.0]


def test_evaluate_takes_any_vectors():
    """Word2Vec's vectors can be scored; analogies use `analogy_vectors` if given."""
    model = Word2Vec([["love", "sex", "tiger", "cat"]] * 20, vector_size=4, min_count=1, epochs=1)
    scores = evaluate(model.wv, bundled_sets(), unknown="skip")
    assert [score.kind for score in scores] == ["similarity", "similarity", "analogy"]
    plane = make_wv("abcd", [[3, 0], [3, 1], [0, 3], [0.5, 3]])
    rotated = make_wv("abcd", [[3, 0], [0, 3], [1, 1], [-3, 0]])
    test = AnalogySet("toy", [("a", "b", "c")], [("d",)], [""])
    values = [evaluate(rotated, [test])[0].value, evaluate(rotated, [test], analogy_vectors=plane)[0].value]
    assert values == [1.0, 1.0]

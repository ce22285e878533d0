"""Vectors from character n-grams: hashes, the regression, rare and unknown words."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.subwords.ngrams import MAX_N, MIN_N, hash_ngrams, ngram_matrix, shared_ngrams
from gensim_wordrank.subwords.regression import prior_variances, regress
from gensim_wordrank.subwords.table import SubwordTable, improve_sums, improve_words
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import oracle

LETTERS = list("abcdefghijklmnopqrstuvwxyz")
# several scripts, a combining accent, an emoji with a skin tone, a joiner, digits, a hyphen and the boundary marks
SCRIPTS = st.sampled_from("aäßżжшشبहि한글漢字\u0301👍🏽\u200d019-'<>")
WORDS = st.lists(st.text(SCRIPTS | st.characters(exclude_categories=["Cs"]), max_size=12), max_size=8)
SURROGATES = st.lists(st.text(st.characters(categories=["Cs", "Ll"]), max_size=8), max_size=5)
CONVERGED = replace(SETTINGS, regression_steps=200)
WARNING = "n-grams of this text say too little"


def no_mean(vectors):
    """Return the mean of vectors that are centred already."""
    return np.zeros(vectors.shape[1], np.float32)


def improved_sums(words, counts, vectors, **options):
    """Return improved sums, and leave the vectors as they are."""
    result = vectors.copy()
    improve_sums(words, counts, result, **options)
    return result


def fitted_rows(ngrams, weights, vectors, **options):
    """Return the rows of all n-grams that the regression finds for centred vectors."""
    rows = np.full((ngrams.shape[1], vectors.shape[1]), np.nan, np.float32)

    def use(part, columns):
        rows[:, part] = columns

    regress(ngrams, weights, vectors, no_mean(vectors), use, **options)
    return rows


# ---- n-grams


def slow_ngrams(word):
    """Return the hash of each n-gram of a word, and whether the word begins with it."""
    text = f"<{word}>"
    return [
        (ft_hash_bytes(text[i : i + n].encode("utf-8", "surrogatepass")), i == 0)
        for n in range(MIN_N, MAX_N + 1)
        for i in range(len(text) - n + 1)
    ]


def ngrams_by_word(words):
    """Return what hash_ngrams yields, as one list of (hash, is_prefix) per word."""
    result = [[] for _ in words]
    for owners, hashes, is_prefix in hash_ngrams(words):
        for owner, *ngram in zip(owners.tolist(), hashes.tolist(), is_prefix.tolist(), strict=True):
            result[owner].append(tuple(ngram))
    return result


@given(WORDS)
@settings(max_examples=300, deadline=None)
def test_hashes_are_those_of_gensims_fasttext(words):
    """Every word has the n-grams of gensim's FastText, as often as there, with the same hashes."""
    for word, ngrams in zip(words, ngrams_by_word(words), strict=True):
        expected = [ft_hash_bytes(ngram) for ngram in compute_ngrams_bytes(word, MIN_N, MAX_N)]
        assert sorted(hash_ for hash_, _ in ngrams) == sorted(expected)


@given(WORDS | SURROGATES)
@settings(max_examples=300, deadline=None)
def test_ngrams_come_by_length_and_position(words):
    """n-grams come by length, then by position, also for surrogates, and those at the beginning are marked."""
    assert ngrams_by_word(words) == [slow_ngrams(word) for word in words]


@pytest.mark.parametrize("words", [[], [""], ["", "", ""], ["a"], ["", "漢", ""], ["👍🏽"], ["e\u0301"], ["\udc80"]])
def test_ngrams_of_very_short_words(words):
    """No words, empty words and words of a single character have no n-grams that are too short."""
    assert ngrams_by_word(words) == [slow_ngrams(word) for word in words]
    assert len(list(hash_ngrams(words))) == MAX_N - MIN_N + 1


@given(WORDS)
@settings(max_examples=100, deadline=None)
def test_shared_ngrams_are_those_of_two_words(words):
    """An n-gram is shared if two words of the list have it; how often a single word has it does not matter."""
    n_words = Counter(hash_ for word in words for hash_ in {hash_ for hash_, _ in slow_ngrams(word)})
    assert shared_ngrams(words).tolist() == sorted(hash_ for hash_, n in n_words.items() if n > 1)


@given(WORDS, WORDS)
@settings(max_examples=100, deadline=None)
def test_the_matrix_counts_known_ngrams(words, others):
    """The matrix has one row per word and one column per key, and counts repeated n-grams."""
    keys = shared_ngrams(words + others)
    counts = [Counter(hash_ for hash_, _ in slow_ngrams(word)) for word in words]
    expected = np.array([[count[key] for key in keys.tolist()] for count in counts]).reshape(len(words), len(keys))
    np.testing.assert_array_equal(ngram_matrix(words, keys).toarray(), expected)


def test_a_repeated_ngram_counts_once_per_occurrence():
    """The word "aaaaaaa" has the n-gram "aaa" five times."""
    keys = shared_ngrams(["aaaaaaa", "baaab"])
    column = keys.tolist().index(ft_hash_bytes(b"aaa"))
    assert ngram_matrix(["aaaaaaa", "baaab"], keys)[:, [column]].toarray().ravel().tolist() == [5, 1]


# ---- regression


def random_problem(n_words, n_ngrams, size, seed):
    """Return n-gram counts, weights of which some are 0, and vectors that depend on the n-grams in part."""
    random = np.random.default_rng(seed)
    ngrams = random.poisson(0.4, (n_words, n_ngrams))
    vectors = ngrams @ random.standard_normal((n_ngrams, size)) + random.standard_normal((n_words, size))
    weights = random.uniform(0.1, 1, n_words) * (random.random(n_words) > 0.2)
    return csr_matrix(ngrams.astype(np.float32)), weights.astype(np.float32), (vectors / 5).astype(np.float32)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (20, 7, 5), (30, 40, 23)])
@pytest.mark.parametrize("seed", [0, 1])
def test_variances_are_the_mean_products_of_two_words(shape, seed):
    """The variance of an n-gram is the weighted mean inner product over all pairs of different words."""
    ngrams, weights, vectors = random_problem(*shape, seed)
    expected = oracle.ngram_variances(ngrams, weights, vectors)
    np.testing.assert_allclose(
        prior_variances(ngrams, weights, vectors, no_mean(vectors)), expected, rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (20, 7, 5), (30, 40, 23)])
@pytest.mark.parametrize("penalty", [0.3, 1.0, 10.0])
def test_regression_solves_the_normal_equations(shape, penalty):
    """With many steps, conjugate gradients arrive at the solution of the normal equations."""
    ngrams, weights, vectors = random_problem(*shape, seed=2)
    rows = fitted_rows(ngrams, weights, vectors, settings=replace(CONVERGED, ngram_penalty=penalty))
    expected = oracle.ngram_rows(ngrams, weights, vectors, penalty)
    np.testing.assert_allclose(rows, expected, rtol=1e-3, atol=1e-4)


def test_the_usual_steps_are_near_the_solution():
    """After the default number of steps, predictions are close to those of the exact solution."""
    ngrams, weights, vectors = random_problem(60, 25, 12, seed=3)
    exact = ngrams @ oracle.ngram_rows(ngrams, weights, vectors, SETTINGS.ngram_penalty)
    difference = ngrams @ fitted_rows(ngrams, weights, vectors) - exact
    assert np.linalg.norm(difference) < 0.1 * np.linalg.norm(exact)


def variances(ngrams, weights, vectors):
    """Return the prior variances of n-grams for centred vectors."""
    return prior_variances(ngrams, weights, vectors, no_mean(vectors))


@pytest.mark.parametrize("function", [variances, fitted_rows])
def test_words_of_weight_0_are_left_out(function):
    """A word of weight 0 has no influence, whatever its vector is."""
    ngrams, weights, vectors = random_problem(30, 10, 7, seed=4)
    used = weights > 0
    assert not used.all()
    changed = np.where(used[:, None], vectors, np.float32(1e3))
    expected = function(ngrams[used], weights[used], vectors[used])
    np.testing.assert_allclose(function(ngrams, weights, changed), expected, rtol=1e-3, atol=1e-4)


def test_no_row_for_ngrams_whose_words_have_nothing_in_common():
    """An n-gram of a single word, or of words with opposite vectors, has variance 0 and a row of zeros."""
    ngrams = csr_matrix(np.array([[1, 0, 1], [1, 0, 1], [0, 5, 1]], np.float32))
    vectors, weights = np.array([[1, 0], [-1, 0], [0, 1]], np.float32), np.ones(3, np.float32)
    assert prior_variances(ngrams, weights, vectors, no_mean(vectors)).tolist() == [0, 0, 0]
    assert not fitted_rows(ngrams, weights, vectors).any()


def test_an_ngram_of_nearly_one_word_has_no_variance():
    """If all words but one have hardly any weight, an n-gram says nothing about other words."""
    ngrams, vectors = csr_matrix(np.ones((2, 1), np.float32)), np.ones((2, 3), np.float32)
    assert prior_variances(ngrams, np.array([1, 1e-3], np.float32), vectors, no_mean(vectors)).tolist() == [0]
    assert prior_variances(ngrams, np.array([1, 0.1], np.float32), vectors, no_mean(vectors)) == pytest.approx(
        3, rel=1e-3
    )


# ---- words, sums and unknown words


def random_words(n, length, seed, letters=LETTERS):
    """Return `n` different words of random letters."""
    random, words = np.random.default_rng(seed), {}
    while len(words) < n:
        words["".join(random.choice(letters, length))] = None
    return list(words)


def random_counts(n, seed):
    """Return counts from 5 on, most of them small, in descending order."""
    return np.sort((5 / np.random.default_rng(seed).random(n) ** 1.5).astype(np.int64))[::-1]


def cosines(left, right):
    """Return the cosine of each row with the row of the other matrix."""
    return np.einsum("ij,ij->i", left, right) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)


def mean_cosine(vectors):
    """Return the mean cosine of two different rows."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return (np.sum(unit @ unit.T) - len(unit)) / (len(unit) * (len(unit) - 1))


class Language:
    """A language in which stems and suffixes carry meaning, and rare words have noisy vectors."""

    def __init__(self, seed=0, n_stems=120, n_suffixes=15, size=30):
        random = np.random.default_rng(seed)
        stems, suffixes = random_words(n_stems, 6, seed), random_words(n_suffixes, 4, seed + 100)
        meaning = random.standard_normal((n_stems, 1, size)) + random.standard_normal((1, n_suffixes, size))
        truth = (meaning / np.linalg.norm(meaning, axis=2, keepdims=True)).reshape(-1, size).astype(np.float32)
        order = random.permutation(len(truth))
        words, truth = [(stems[i // n_suffixes] + suffixes[i % n_suffixes]) for i in order], truth[order]
        self.unknown_words, self.unknown_truth = words[:100], truth[:100]
        self.words, self.truth, self.counts = words[100:], truth[100:], random_counts(len(words) - 100, seed)
        noise = random.standard_normal(self.truth.shape) / np.sqrt(self.counts[:, None] * size / 9)
        lengths = random.uniform(0.5, 2, (len(self.words), 1))
        self.vectors = ((self.truth + noise) * lengths).astype(np.float32)


@pytest.fixture(scope="module", params=[0, 1, 2])
def language(request):
    """A made-up language with 1,700 known words."""
    return Language(request.param)


def test_an_unknown_word_is_predicted_from_its_parts(language):
    """The vector of an unknown combination of a known stem and a known suffix is near the true one."""
    _, table = improve_words(language.words, language.counts, language.vectors)
    predicted, is_known = table.predict(language.unknown_words)
    assert is_known.all()
    assert cosines(predicted, language.unknown_truth).mean() > 0.95
    assert cosines(predicted, language.unknown_truth).min() > 0.8
    assert abs(cosines(predicted, language.unknown_truth[::-1]).mean()) < 0.2


def test_rare_words_get_closer_to_the_truth(language):
    """The vectors of nearly all words with counts below 30 improve, by much in the mean."""
    rare = language.counts < 30
    improved, _ = improve_words(language.words, language.counts, language.vectors)
    before, after = (cosines(x[rare], language.truth[rare]) for x in (language.vectors, improved))
    assert np.mean(after > before) > 0.98
    assert before.mean() < 0.75
    assert after.mean() > 0.95


def test_frequent_words_hardly_move(language):
    """The vectors of words that occur more than 1,000 times stay almost the same, and are no worse."""
    frequent = language.counts > 1000
    improved, _ = improve_words(language.words, language.counts, language.vectors)
    assert frequent.sum() > 20
    assert cosines(improved[frequent], language.vectors[frequent]).min() > 0.999
    before, after = (cosines(x[frequent], language.truth[frequent]).mean() for x in (language.vectors, improved))
    assert after > before - 1e-4


def test_lengths_do_not_change(language):
    """Every word vector keeps its length."""
    improved, _ = improve_words(language.words, language.counts, language.vectors)
    assert not np.array_equal(improved, language.vectors)
    lengths = np.linalg.norm(language.vectors, axis=1)
    np.testing.assert_allclose(np.linalg.norm(improved, axis=1), lengths, rtol=1e-5)


def test_predictions_are_as_long_as_rare_words(language):
    """The vectors of unknown words are about as long as those of rare words."""
    _, table = improve_words(language.words, language.counts, language.vectors)
    usual = np.linalg.norm(language.vectors[language.counts <= np.median(language.counts)], axis=1).mean()
    lengths = np.linalg.norm(table.predict(language.unknown_words)[0], axis=1)
    assert 0.5 * usual < lengths.mean() < 2 * usual


def test_rare_words_of_sums_keep_their_noise(language):
    """n-grams change the sums of frequent words more than those of rare words."""
    unit = language.vectors / np.linalg.norm(language.vectors, axis=1, keepdims=True)
    added = np.linalg.norm(
        improved_sums(language.words, language.counts, language.vectors) - unit + unit.mean(0), axis=1
    )
    assert added[language.counts > 300].mean() > 2 * added[language.counts < 10].mean()


@pytest.mark.parametrize("workers", [2, 3])
def test_results_do_not_depend_on_threads(language, workers):
    """One, two and three threads give the same bytes."""
    data = language.words, language.counts, language.vectors
    improved, table = improve_words(*data)
    other, other_table = improve_words(*data, workers=workers)
    assert improved.tobytes() == other.tobytes()
    for name in ("keys", "rows", "base"):
        assert getattr(table, name).tobytes() == getattr(other_table, name).tobytes()
    words = language.unknown_words
    assert table.predict(words)[0].tobytes() == other_table.predict(words)[0].tobytes()
    assert improved_sums(*data).tobytes() == improved_sums(*data, workers=workers).tobytes()


@pytest.mark.parametrize("function", [improve_words, improved_sums])
def test_input_arrays_do_not_change(language, function):
    """Read-only arrays are accepted and stay as they are."""
    counts, vectors = language.counts.copy(), language.vectors.copy()
    counts.flags.writeable = vectors.flags.writeable = False
    function(language.words, counts, vectors)
    np.testing.assert_array_equal(counts, language.counts)
    np.testing.assert_array_equal(vectors, language.vectors)


def test_a_prediction_is_the_base_plus_the_rows_of_known_ngrams():
    """Rows count as often as the word has the n-gram; without a known n-gram, only the base is left."""
    keys = np.sort(np.array([ft_hash_bytes(b"aaa"), ft_hash_bytes(b"<ab")], np.uint32))
    rows = np.array([[1, 0] if key == ft_hash_bytes(b"aaa") else [0, 10] for key in keys.tolist()], np.float32)
    table = SubwordTable(keys, rows, np.array([0.5, 0.25], np.float32))
    predicted, is_known = table.predict(["aaaaaaa", "ab", "xyz", ""])
    assert predicted.tolist() == [[5.5, 0.25], [0.5, 10.25], [0.5, 0.25], [0.5, 0.25]]
    assert is_known.tolist() == [True, True, False, False]
    assert table.predict([])[0].shape == (0, 2)


# ---- words without meaningful n-grams


def with_names(language, count, n=300):
    """Return a language's words, counts and vectors, with `n` names of random letters that occur `count` times."""
    names, random = random_words(n, 8, seed=7), np.random.default_rng(8)
    vectors = random.standard_normal((n, language.vectors.shape[1])).astype(np.float32)
    counts = np.append(language.counts, np.full(n, count))
    return language.words + names, counts, np.concatenate([language.vectors, vectors])


@pytest.mark.parametrize("count", [5, 100, 1000])
def test_the_sums_of_names_stay(language, count):
    """Names of random letters share no meaningful n-grams, so their sums are only centred."""
    words, counts, vectors = with_names(language, count)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = cosines(improved_sums(words, counts, vectors), unit - unit.mean(axis=0))[-300:]
    assert kept.min() > 0.95
    assert kept.mean() > 0.99


@pytest.mark.parametrize("count", [100, 1000])
def test_known_names_stay(language, count):
    """Names that occur 100 times or more keep their vectors, and do not become alike."""
    words, counts, vectors = with_names(language, count)
    names = improve_words(words, counts, vectors)[0][-300:]
    assert cosines(names, vectors[-300:]).mean() > 0.98
    assert abs(mean_cosine(names)) < 0.05


def meaningless(seed, letters, n=1500, size=30):
    """Return random ids, counts, and vectors with a common part that do not depend on the ids."""
    vectors = np.random.default_rng(seed).standard_normal((n, size)) + 1
    return random_words(n, 8, seed, letters), random_counts(n, seed), vectors.astype(np.float32)


def improve_meaningless(seed, letters, caplog):
    """Improve random ids; return whether their vectors stayed, and whether the warning was given."""
    caplog.clear()
    words, counts, vectors = meaningless(seed, letters)
    improved, _ = improve_words(words, counts, vectors)
    return np.array_equal(improved, vectors), WARNING in caplog.text


@pytest.mark.parametrize(("seed", "letters"), [(1, LETTERS), (3, LETTERS), (0, list("0123456789"))])
def test_a_warning_says_that_words_keep_their_vectors(seed, letters, caplog):
    """If held-out words show that n-grams mean nothing, a warning is given and vectors stay."""
    assert improve_meaningless(seed, letters, caplog) == (True, True)


@pytest.mark.parametrize("letters", [LETTERS, list("0123456789")], ids=["letters", "digits"])
def test_meaningless_ngrams_never_change_words(letters, caplog):
    """Random ids and numbers keep their vectors, with the warning, whatever the seed."""
    assert [improve_meaningless(seed, letters, caplog) for seed in range(10)] == [(True, True)] * 10


# ---- unusual vocabularies


def check_results_are_finite(words, counts, vectors):
    """Check shapes, lengths and finiteness of all results; return the improved vectors."""
    counts = np.asarray(counts, np.int64)
    improved, table = improve_words(words, counts, vectors)
    sums = improved_sums(words, counts, vectors)
    predicted, is_known = table.predict([*words[:20], "", "zzz", "a-1"])
    assert improved.shape == sums.shape == vectors.shape
    assert predicted.shape == (len(is_known), vectors.shape[1])
    assert improved.dtype == sums.dtype == predicted.dtype == np.float32
    assert all(np.isfinite(x).all() for x in (improved, sums, predicted, table.rows, table.base))
    lengths = [np.linalg.norm(x, axis=1) for x in (improved, vectors)]
    np.testing.assert_allclose(*lengths, rtol=1e-5)
    return improved


@pytest.mark.parametrize("n", [0, 1, 2, 12])
def test_tiny_vocabularies_keep_their_vectors(n, caplog):
    """With too few words to judge n-grams by, words keep their vectors, with a warning."""
    language = Language(n_stems=20)
    improved = check_results_are_finite(language.words[:n], language.counts[:n], language.vectors[:n])
    assert np.array_equal(improved, language.vectors[:n])
    assert (WARNING in caplog.text) == (n > 0)


@pytest.mark.parametrize("count", [0, 1, 5, 10**12])
def test_equal_counts(language, count):
    """Results are finite if all words occur equally often, also never or extremely often."""
    check_results_are_finite(language.words, np.full(len(language.words), count), language.vectors)


def test_zero_vectors_stay_zero(language, caplog):
    """Vectors of zeros stay zeros, whether some or all are."""
    some = language.vectors.copy()
    some[::7] = 0
    assert not check_results_are_finite(language.words, language.counts, some)[::7].any()
    assert WARNING not in caplog.text
    assert not check_results_are_finite(language.words, language.counts, np.zeros_like(some)).any()


@pytest.mark.parametrize("size", [1, 2, 10, 11])
def test_short_vectors(language, size):
    """Any vector size works, also one that is not a multiple of the columns solved together."""
    check_results_are_finite(language.words, language.counts, np.ascontiguousarray(language.vectors[:, :size]))


@pytest.mark.parametrize("scale", [1e-15, 1e15])
def test_very_short_and_very_long_vectors(language, scale):
    """Results are finite for vectors of any ordinary length."""
    check_results_are_finite(language.words, language.counts, language.vectors * np.float32(scale))


def test_equal_vectors():
    """Results are finite if all words have the same vector."""
    words = random_words(1200, 5, seed=1)
    check_results_are_finite(words, random_counts(1200, 1), np.ones((1200, 8), np.float32))


def test_words_of_one_repeated_letter():
    """Results are finite for words that have the same n-gram hundreds of times."""
    vectors = np.random.default_rng(0).standard_normal((1200, 8)).astype(np.float32)
    check_results_are_finite(["a" * n for n in range(1200)], random_counts(1200, 0), vectors)


@given(st.integers(0, 2**32 - 1), st.lists(st.text(SCRIPTS, max_size=8), min_size=1, max_size=60, unique=True))
@settings(max_examples=50, deadline=None)
def test_results_are_always_finite(seed, words):
    """Random words of any script, with random counts and vectors, give finite results."""
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((len(words), 5)).astype(np.float32) * random.integers(0, 2, (len(words), 1))
    check_results_are_finite(words, random.integers(0, 1000, len(words)), vectors.astype(np.float32))

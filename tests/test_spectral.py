"""Start vectors from the singular vectors of the strongest pairs."""

import numpy as np
import pytest
from gensim.test.utils import common_texts
from gensim_wordrank import WordRank, spectral
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.spectral import SPECTRAL_LENGTH, spectral_start, strong_pmi
from gensim_wordrank.state import start_vectors
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def small_vocabularies_too(monkeypatch):
    """Let the few words of these tests be enough."""
    monkeypatch.setattr(spectral, "FEWEST_WORDS", 1)


@pytest.fixture
def some_counts():
    """Counts of 40 words without symmetry, half of them 0."""
    random = np.random.default_rng(5)
    return random.gamma(0.5, 4.0, (40, 40)) * (random.random((40, 40)) < 0.5)


def cosines(vectors):
    """Cosines of all rows with each other."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def test_pmi_is_that_of_the_formula(some_counts, monkeypatch):
    """With every pair strong, entries are max(0, log(X_wc / (X p_w p_c))), contexts smoothed by 0.75."""
    monkeypatch.setattr(spectral, "STRONG_SHARE", 1.0)
    frequencies = np.arange(1, 41)
    contexts = some_counts.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore"):
        expected = np.log(
            some_counts / some_counts.sum() / np.outer(frequencies / frequencies.sum(), contexts / contexts.sum())
        )
    counts = Cooccurrence.from_matrix(some_counts, counts=frequencies).over(range(40))
    np.testing.assert_allclose(strong_pmi(counts).toarray(), np.maximum(expected, 0), rtol=1e-4, atol=1e-5)


def test_only_the_strongest_pairs_are_looked_at(some_counts, monkeypatch):
    """The pairs that take part are those with the largest counts, also when they are read in several parts."""
    monkeypatch.setattr(spectral, "PAIRS_AT_ONCE", 100)
    counts = Cooccurrence.from_matrix(some_counts)
    found = strong_pmi(counts)
    strong = counts.matrix.toarray() >= np.quantile(counts.data, 1 - spectral.STRONG_SHARE)
    assert found.nnz == strong.sum() == pytest.approx(spectral.STRONG_SHARE * counts.nnz, abs=2)
    assert (found.toarray()[~strong] == 0).all()


def test_directions_are_those_of_the_exact_singular_vectors(monkeypatch):
    """On pairs whose PMI has rank 3, cosines between rows are those of a dense SVD, but for the short random part."""
    monkeypatch.setattr(spectral, "STRONG_SHARE", 1.0)
    worlds = Cooccurrence.from_matrix(np.kron(np.diag([3.0, 2.0, 1.0]), np.ones((20, 20))))
    left, values, right = np.linalg.svd(strong_pmi(worlds).toarray())
    exact = left[:, :3] * np.sqrt(values[:3]), right[:3].T * np.sqrt(values[:3])
    for part, (found, expected) in enumerate(zip(spectral_start(worlds, 3, seed=1), exact, strict=True)):
        found -= start_vectors(60, 3, 1, part)
        np.testing.assert_allclose(cosines(found), cosines(expected), atol=1e-4)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), SPECTRAL_LENGTH, rtol=1e-4)


def test_rows_without_strong_pairs_stay_random():
    """A word that hardly occurs keeps its short random vector, and so do all where there are no pairs."""
    matrix = np.full((30, 30), 5.0)
    matrix[7] = 0.001
    words, contexts = spectral_start(Cooccurrence.from_matrix(matrix), 4, seed=3)
    np.testing.assert_array_equal(words[7], start_vectors(30, 4, 3, 0)[7])
    assert (np.linalg.norm(contexts, axis=1) > 0).all()
    none = spectral_start(Cooccurrence.from_matrix(np.zeros((30, 30))), 4, seed=3)
    for part, found in enumerate(none):
        np.testing.assert_array_equal(found, start_vectors(30, 4, 3, part))


def test_same_bytes_with_any_number_of_blas_threads(some_counts):
    """The start does not depend on the threads that BLAS may use; another seed gives another one."""
    counts = Cooccurrence.from_matrix(some_counts)
    with threadpool_limits(limits=1):
        one = spectral_start(counts, 60, seed=1)
    with threadpool_limits(limits=2):
        two = spectral_start(counts, 60, seed=1)
    for a, b in zip(one, two, strict=True):
        assert a.shape == (40, 60)
        assert a.dtype == np.float32
        np.testing.assert_array_equal(a, b)
    assert (spectral_start(counts, 60, seed=2)[0] != one[0]).any()


def model_before_its_first_epoch(change=lambda model: None, **parameters):
    """Train a model with steps too short to be seen; return it, and its word vectors as `change` left them before."""
    model = WordRank(vector_size=6, min_count=1, alpha=1e-20, l2=0, **parameters)
    model.build_vocab(common_texts)
    change(model)
    before = model.wv.vectors.copy()
    model.train(common_texts, total_examples=model.corpus_count, epochs=1)
    return model, before


def test_a_model_starts_from_its_pairs():
    """Untouched vectors take the place that the co-occurrences give them; trained ones go on from where they are."""
    model, before = model_before_its_first_epoch()
    expected = spectral_start(model.cooccurrence, 6, model.seed)
    assert not np.allclose(before, expected[0], atol=0.1)
    np.testing.assert_allclose(model.wv.vectors, expected[0], atol=1e-6)
    np.testing.assert_allclose(model.context_vectors, expected[1], atol=1e-6)
    model.wv.vectors = before
    model.train(common_texts, total_examples=model.corpus_count, epochs=1)
    np.testing.assert_allclose(model.wv.vectors, before, atol=1e-6)


def test_vectors_that_were_set_are_where_training_starts():
    """Vectors that were taken over or changed by hand, locked ones, and those of Algorithm 1 stay where they are."""
    other = WordRank(common_texts, vector_size=6, min_count=1, epochs=2, seed=9)

    def change_one(model):
        model.context_vectors[3, 2] += 1

    def lock(model):
        model.wv.vectors_lockf = np.zeros(len(model.wv), np.float32)

    for change in (lambda model: model.warm_start(other.wv), change_one, lock):
        model, before = model_before_its_first_epoch(change)
        np.testing.assert_allclose(model.wv.vectors, before, atol=1e-6)
    model, before = model_before_its_first_epoch(solver="triplet")
    np.testing.assert_allclose(model.wv.vectors, before, atol=1e-6)


def test_small_vocabularies_start_at_random(some_counts, monkeypatch):
    """With fewer words than are worth it, the start is random."""
    monkeypatch.setattr(spectral, "FEWEST_WORDS", 41)
    for part, found in enumerate(spectral_start(Cooccurrence.from_matrix(some_counts), 4, seed=3)):
        np.testing.assert_array_equal(found, start_vectors(40, 4, 3, part))

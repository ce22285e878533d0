"""u and v side by side, in as many coordinates as one of them has."""

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.joint import joint, unit
from gensim_wordrank.vectors import combine
from threadpoolctl import threadpool_limits

import oracle


def some(n, size, seed=0):
    """Random vectors, of all lengths."""
    random = np.random.default_rng(seed)
    return (random.standard_normal((n, size)) * random.exponential(size=(n, 1))).astype(np.float32)


def cosines(vectors):
    """Of all words with all."""
    rows = unit(vectors.astype(np.float64))
    return rows @ rows.T


@pytest.mark.parametrize(("n", "size"), [(3, 6), (40, 6), (9000, 2)])
def test_inner_products_are_those_of_the_best_directions(n, size):
    """As singular vectors give them; also with fewer words than coordinates, and with more than one block of them."""
    u, v = some(n, size), some(n, size, seed=1)
    found = joint(u, v)
    assert (found.shape, found.dtype) == ((n, size), np.float32)
    some_words = slice(0, 500)
    expected = oracle.joint(u, v)[some_words]
    np.testing.assert_allclose(found[some_words] @ found[some_words].T, expected @ expected.T, atol=1e-5)


def test_cosines_are_means_where_directions_suffice():
    """Of three words' six vectors in four coordinates nothing is lost."""
    u, v = some(3, 4), some(3, 4, seed=1)
    np.testing.assert_allclose(cosines(joint(u, v)), (cosines(u) + cosines(v)) / 2, atol=1e-6)


def test_what_words_stand_beside_is_not_likeness():
    """Two words that are each the other's context, and nothing else, are alike in u + v only."""
    u = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    v = u[::-1].copy()
    assert cosines(u + v)[0, 1] == pytest.approx(1)
    assert cosines(joint(u, v))[0, 1] == pytest.approx(0, abs=1e-6)


def test_lengths_do_not_matter():
    """Words and contexts weigh alike, however long training made them."""
    u, v = some(50, 5), some(50, 5, seed=1)
    np.testing.assert_allclose(cosines(joint(7 * u, v / 9)), cosines(joint(u, v)), atol=1e-5)


def test_vectors_of_zeros_stay():
    """Nothing is divided by nothing."""
    zero = np.zeros((3, 2), np.float32)
    np.testing.assert_array_equal(joint(zero, zero), zero)
    assert joint(np.empty((0, 2), np.float32), np.empty((0, 2), np.float32)).shape == (0, 2)


def test_threads_of_blas_do_not_matter():
    """The same bytes on any number of cores."""
    u, v, found = some(5000, 40), some(5000, 40, seed=1), set()
    for threads in (1, 2, 3):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.add(joint(u, v).tobytes())
    assert len(found) == 1


def test_a_model_has_both(two_worlds):
    """By name, of u and v as trained; in the other styles too."""
    model = WordRank(two_worlds, vector_size=8, epochs=5)
    both = model.vectors("both")
    np.testing.assert_array_equal(both.vectors, joint(model.trained_vectors, model.context_vectors))
    assert all(word.startswith("sea") for word, _ in both.most_similar("sea1", topn=5))
    centred = combine(model.trained_vectors, model.context_vectors, "both", "centred")
    np.testing.assert_allclose(centred.mean(axis=0), 0, atol=1e-6)

"""u + v, in a basis in which the two do not cancel each other."""

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.addition import STRETCH, add, opposed
from gensim_wordrank.vectors import combine, keyed_like
from threadpoolctl import threadpool_limits

import oracle


def some(n, size, seed=0):
    """Random vectors, of all lengths."""
    random = np.random.default_rng(seed)
    return (random.standard_normal((n, size)) * random.exponential(size=(n, 1))).astype(np.float32)


@pytest.mark.parametrize(("n", "size"), [(2, 6), (40, 6), (9000, 2)])
def test_sums_are_those_of_one_direction_after_the_other(n, size):
    """Also with fewer words than directions, and with more than one block of them."""
    u, v = some(n, size), some(n, size, seed=1)
    found = add(u, v)
    assert (found.shape, found.dtype) == ((n, size), np.float32)
    np.testing.assert_allclose(found, oracle.add(u, v), rtol=1e-4, atol=1e-4)


def test_the_scores_are_kept():
    """The vectors that are added are those of a model that ranks all contexts as before."""
    u, v = some(50, 6), some(50, 6, seed=1)
    directions = opposed(u, v)
    assert 0 < directions.shape[1] < 6
    basis = np.eye(6) + (1 / STRETCH - 1) * directions @ directions.T
    moved, back = u @ basis, v @ np.linalg.inv(basis)
    np.testing.assert_allclose(moved @ back.T, u @ v.T, atol=1e-4)
    np.testing.assert_allclose(add(u, v), moved + back, atol=1e-4)


def test_vectors_that_agree_are_added_as_they_are():
    """To the bit, however long they are."""
    u = some(50, 6)
    assert opposed(u, 3 * u).shape == (6, 0)
    np.testing.assert_array_equal(add(u, 3 * u), u + 3 * u)


def test_vectors_that_oppose_each_other_do_not_cancel():
    """Their sum is as long as if they agreed, and points where v does; in other directions nothing changes."""
    u = some(50, 6)
    np.testing.assert_allclose(add(u, -u), -2 * u, rtol=1e-5, atol=1e-5)
    u, v = np.eye(6, dtype=np.float32), np.diag([1, 2, 3, 4, 5, -1]).astype(np.float32)
    np.testing.assert_allclose(add(u, v), np.diag([2, 3, 4, 5, 6, -2]), atol=1e-6)


def test_vectors_of_zeros_stay():
    """Nothing opposes nothing."""
    zero = np.zeros((3, 2), np.float32)
    np.testing.assert_array_equal(add(zero, zero), zero)
    assert add(np.empty((0, 2), np.float32), np.empty((0, 2), np.float32)).shape == (0, 2)


def test_threads_of_blas_do_not_matter():
    """The same bytes on any number of cores."""
    u, v, found = some(5000, 40), some(5000, 40, seed=1), set()
    for threads in (1, 2, 3):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.add(add(u, v).tobytes())
    assert len(found) == 1


def test_kinds_of_words_that_stand_beside_each_other_are_told_apart():
    """Adjectives have nouns of their topic for contexts: as trained, u + v takes some of the one for the other."""
    random = np.random.default_rng(0)
    topics = random.integers(4, size=6000)
    text = [[f"{topic}a{random.integers(10)}", f"{topic}n{random.integers(10)}"] for topic in topics]
    model = WordRank(text, vector_size=16, min_count=1)

    def share_of_its_kind(keyed):
        near = {word: [other for other, _ in keyed.most_similar(word, topn=9)] for word in keyed.index_to_key}
        return np.mean([other[:2] == word[:2] for word, others in near.items() for other in others])

    as_trained = keyed_like(model.wv, model.trained_vectors + model.context_vectors)
    assert share_of_its_kind(as_trained) < 0.95
    assert share_of_its_kind(model.vectors("sum")) == 1


def test_a_model_has_sums(two_worlds):
    """By name, of u and v as trained; in the other styles too."""
    model = WordRank(two_worlds, vector_size=8, epochs=5)
    sums = model.vectors("sum")
    np.testing.assert_array_equal(sums.vectors, add(model.trained_vectors, model.context_vectors))
    assert all(word.startswith("sea") for word, _ in sums.most_similar("sea1", topn=5))
    centred = combine(model.trained_vectors, model.context_vectors, "sum", "centred")
    np.testing.assert_allclose(centred, sums.vectors - sums.vectors.mean(axis=0), atol=1e-6)

"""u, v and u + v, raw, centred and scaled."""

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.keyedvectors import combine

random = np.random.default_rng(0)
U = random.standard_normal((7, 4)).astype(np.float32)
V = random.standard_normal((7, 4)).astype(np.float32)


def authors_scaling(matrix):
    """Columns, then rows, to unit length."""
    matrix = matrix / np.linalg.norm(matrix, axis=0)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_raw_vectors_are_the_parameters():
    """Word and context are u and v, and the sum is u + v, in new arrays."""
    np.testing.assert_array_equal(combine(U, V, "word"), U)
    np.testing.assert_array_equal(combine(U, V, "context"), V)
    np.testing.assert_array_equal(combine(U, V, "sum"), U + V)
    assert not np.shares_memory(combine(U, V, "word"), U)


def test_centred_vectors_have_no_mean():
    """The mean of all vectors is subtracted."""
    np.testing.assert_allclose(combine(U, V, "context", "centred"), V - V.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(combine(U, V, "sum", "centred"), U + V - (U + V).mean(axis=0), atol=1e-6)


def test_scaled_vectors_follow_the_authors():
    """Columns then rows; for the sum each matrix first, then the sum again."""
    np.testing.assert_allclose(combine(U, V, "word", "scaled"), authors_scaling(U), rtol=1e-5)
    expected = authors_scaling(authors_scaling(U) + authors_scaling(V))
    np.testing.assert_allclose(combine(U, V, "sum", "scaled"), expected, rtol=1e-4)


def test_a_zero_row_stays_zero():
    """Scaling never divides by nothing."""
    zero = np.zeros((3, 2), np.float32)
    np.testing.assert_array_equal(combine(zero, zero, "sum", "scaled"), zero)


def test_unknown_names_are_refused():
    """Errors list what is allowed."""
    with pytest.raises(ValueError, match="'which' must be one of 'word', 'context', 'sum'. Got 'u'"):
        combine(U, V, "u")
    with pytest.raises(ValueError, match="'style' must be one of 'raw', 'centred', 'scaled'"):
        combine(U, V, "word", "pretty")


def test_model_gives_keyed_vectors_with_true_counts(two_worlds):
    """The keys and counts of the model go with u, v and u + v, and changing them leaves the model alone."""
    model = WordRank(two_worlds, vector_size=8, epochs=2)
    for which, expected in (
        ("word", model.wv.vectors),
        ("context", model.context_vectors),
        ("sum", model.wv.vectors + model.context_vectors),
    ):
        keyed = model.vectors(which)
        np.testing.assert_array_equal(keyed.vectors, expected)
        assert keyed.index_to_key == model.wv.index_to_key
        assert keyed.get_vecattr("sea3", "count") == sum(sentence.count("sea3") for sentence in two_worlds)
    keyed.vectors[:] = 0
    assert model.wv.vectors.any()

"""Word vectors u, context vectors v and their sum, raw, centred and scaled."""

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.keyedvectors import combine

random = np.random.default_rng(0)
U = random.standard_normal((7, 4)).astype(np.float32)
V = random.standard_normal((7, 4)).astype(np.float32)


def scale_columns_and_rows(matrix):
    """Scale columns, then rows, to length 1."""
    matrix = matrix / np.linalg.norm(matrix, axis=0)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_raw_vectors():
    """Raw vectors are copies of u, v and u + v."""
    np.testing.assert_array_equal(combine(U, V, "word"), U)
    np.testing.assert_array_equal(combine(U, V, "context"), V)
    np.testing.assert_array_equal(combine(U, V, "sum"), U + V)
    assert not np.shares_memory(combine(U, V, "word"), U)


def test_centred_vectors_have_mean_zero():
    """The mean of all vectors is subtracted."""
    np.testing.assert_allclose(combine(U, V, "context", "centred"), V - V.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(combine(U, V, "sum", "centred"), U + V - (U + V).mean(axis=0), atol=1e-6)


def test_scaled_vectors():
    """Columns are scaled before rows; for the sum, u and v are scaled, added and scaled again."""
    np.testing.assert_allclose(combine(U, V, "word", "scaled"), scale_columns_and_rows(U), rtol=1e-5)
    expected = scale_columns_and_rows(scale_columns_and_rows(U) + scale_columns_and_rows(V))
    np.testing.assert_allclose(combine(U, V, "sum", "scaled"), expected, rtol=1e-4)


def test_scaling_keeps_zero_rows():
    """Zero vectors stay zero and cause no division by zero."""
    zero = np.zeros((3, 2), np.float32)
    np.testing.assert_array_equal(combine(zero, zero, "sum", "scaled"), zero)


def test_invalid_which_and_style():
    """The error lists the allowed values."""
    with pytest.raises(ValueError, match="'which' must be one of 'word', 'context', 'sum'. Got 'u'"):
        combine(U, V, "u")
    with pytest.raises(ValueError, match="'style' must be one of 'raw', 'centred', 'scaled'"):
        combine(U, V, "word", "pretty")


def test_vectors_of_a_model(two_worlds):
    """They have the keys and counts of the model; changing them does not change the model."""
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

"""gensim's own tests of Word2Vec, run with WordRank instead."""

import inspect
import textwrap
import types

import gensim.test.test_word2vec as suite
import numpy as np
import pytest
from gensim.models import word2vec
from gensim_wordrank import WordRank

# gensim's tests use some of its own deprecated calls
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

LEFT_OUT = {
    "test_scoring": "scores are those of hierarchical softmax",
    "test_train_hs_and_neg": "checks the choice between hs and negative",
    "test_negative_ns_exp": "checks the exponent of negative sampling",
    "test_persistence_backwards_compatible": "loads a file of Word2Vec",
    "test_load_old_model": "loads a file of Word2Vec",
    "test_load_old_model_separates": "loads a file of Word2Vec",
    "test_load_old_models_1_x": "loads files of Word2Vec",
    "test_load_old_models_2_x": "loads files of Word2Vec",
    "test_load_old_models_3_x": "loads files of Word2Vec",
    "test_load_pre_keyed_vector_model_c_format": "holds no model",
    "test_method_in_bulk": "a stress test that gensim itself does not run",
}

HUFFMAN = "np.allclose(model.wv.get_vecattr('the', 'code'), "
SOFTMAX_WEIGHTS = {"model.syn1.shape": "model.context_vectors.shape"}
# replacements in the source code of gensim's tests
EDITED = {
    "test_training": SOFTMAX_WEIGHTS,
    "test_training_from_file": SOFTMAX_WEIGHTS,
    "test_training_cbow": SOFTMAX_WEIGHTS,
    # words have no Huffman codes
    "test_vocab": {HUFFMAN + "[1, 1, 0, 0])": "", HUFFMAN + "[1, 1, 1, 0])": ""},
    # all models can predict, there is no hierarchical softmax
    "test_predict_output_word": {
        "self.assertRaises(RuntimeError, model_without_neg.predict_output_word, ['system', 'human'])": ""
    },
    # plain strings are an error; gensim only warns
    "test_build_vocab_warning": {
        "model.build_vocab(sentences)": "self.assertRaises(TypeError, model.build_vocab, sentences)",
        "self.assertTrue(warning in str(loglines))": "",
    },
}

# the tests find WordRank under the name Word2Vec in this namespace; gensim itself is not changed
NAMESPACE = types.ModuleType("word2vec_with_wordrank")
NAMESPACE.__dict__.update(word2vec.__dict__, Word2Vec=WordRank)


@pytest.fixture(autouse=True)
def _wordrank_in_place_of_word2vec(monkeypatch):
    monkeypatch.setattr(suite, "word2vec", NAMESPACE)


def edited(name):
    """Return gensim's test with the replacements above."""
    source = textwrap.dedent(inspect.getsource(getattr(suite.TestWord2VecModel, name)))
    for old, new in EDITED[name].items():
        assert old in source, (name, old)
        source = source.replace(old, new)
    result = {}
    exec(compile(source, f"{name} of gensim, edited", "exec"), vars(suite), result)
    return result[name]


class TestWordRankAsWord2Vec(suite.TestWord2VecModel):
    """gensim's tests of the model, except those in LEFT_OUT."""

    locals().update(dict.fromkeys(LEFT_OUT), **{name: edited(name) for name in EDITED})

    def models_equal(self, model, model2):
        """Compare the arrays of WordRank; the original compares weights that it does not have."""
        assert len(model.wv) == len(model2.wv)
        np.testing.assert_allclose(model.wv.vectors, model2.wv.vectors)
        np.testing.assert_allclose(model.context_vectors, model2.context_vectors)


class TestWordRankWordMoversDistance(suite.TestWMD):
    """gensim's tests of Word Mover's Distance."""


def test_left_out_tests_exist():
    """All names in LEFT_OUT are tests of gensim."""
    assert all(hasattr(suite.TestWord2VecModel, name) for name in LEFT_OUT)

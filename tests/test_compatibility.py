"""Parameters of Word2Vec and of the old wrapper."""

import inspect
import logging
import re

import pytest
from gensim.models import Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.compatibility import RENAMED, WITHOUT_MEANING

OURS = set(inspect.signature(WordRank.__init__).parameters)
THEIRS = {
    name: parameter.default
    for name, parameter in inspect.signature(Word2Vec.__init__).parameters.items()
    if name not in ("self", "sentences", "corpus_file")
}


@pytest.mark.parametrize("name", THEIRS)
def test_every_parameter_of_word2vec_is_accepted(name, two_worlds, caplog):
    """A parameter either has a meaning, or one warning says what is done instead."""
    with caplog.at_level(logging.WARNING):
        WordRank(two_worlds, **{"epochs": 1, "workers": 1, name: THEIRS[name]})
    warned = [record.getMessage() for record in caplog.records]
    if name in WITHOUT_MEANING:
        assert warned == [f"'{name}' has no meaning for WordRank and is ignored: {WITHOUT_MEANING[name]}"]
    elif name == "alpha":
        assert len(warned) == 1
        assert "'alpha' is 0.025, and the usual one of this solver is 0.5" in warned[0]
    else:
        assert not warned
        assert name in OURS


# alpha, window, symmetric, min_count, max_vocab_size, epsilon, sorted_vocab and corpus_file kept their names
@pytest.mark.parametrize("name", RENAMED)
def test_parameters_of_the_old_wrapper_are_refused_with_their_new_name(name):
    """The error says what to write, and what it says exists."""
    with pytest.raises(TypeError, match=re.escape(f"unexpected keyword argument '{name}'. {RENAMED[name]}")):
        WordRank([["a", "b"]], **{name: 1})
    assert set(re.findall(r"[Uu]se '(\w+)'", RENAMED[name])) <= OURS
    assert name not in OURS


def test_other_names_are_refused_as_python_does():
    """A spelling mistake is an error."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'vektor_size'$"):
        WordRank([["a", "b"]], vektor_size=5)


def test_callbacks_and_rules_given_without_a_corpus_are_said_to_be_ignored(caplog):
    """They are used by train and build_vocab, not kept: gensim's warnings say so."""
    with caplog.at_level(logging.WARNING):
        WordRank(callbacks=[object()], trim_rule=max)
    warned = " ".join(record.getMessage() for record in caplog.records)
    assert "Callbacks are no longer retained by the model" in warned
    assert "trim_rule provided, if any, will be ignored" in warned

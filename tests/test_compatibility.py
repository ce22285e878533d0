"""Parameters of Word2Vec, of the old wrapper and of earlier versions."""

import inspect
import logging
import re

import pytest
from gensim.models import Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.compatibility import IGNORED, RENAMED

OURS = set(inspect.signature(WordRank.__init__).parameters)
THEIRS = {
    name: parameter.default
    for name, parameter in inspect.signature(Word2Vec.__init__).parameters.items()
    if name not in ("self", "sentences", "corpus_file")
}


@pytest.mark.parametrize("name", THEIRS)
def test_every_parameter_of_word2vec_is_accepted(name, two_worlds, caplog):
    """Each parameter either has an effect or logs one warning with the reason."""
    with caplog.at_level(logging.WARNING):
        WordRank(two_worlds, **{"epochs": 1, "workers": 1, name: THEIRS[name]})
    warned = [record.getMessage() for record in caplog.records]
    if name in IGNORED:
        assert warned == [f"'{name}' is ignored: {IGNORED[name]}"]
    elif name == "alpha":
        assert len(warned) == 1
        assert "'alpha' is 0.025, far below the default of 0.5 for this solver" in warned[0]
    else:
        assert not warned
        assert name in OURS


# alpha, window, symmetric, min_count, max_vocab_size, epsilon, sorted_vocab and corpus_file kept their names
@pytest.mark.parametrize("name", RENAMED)
def test_renamed_parameters_are_rejected(name):
    """The error names the replacement, which exists."""
    with pytest.raises(TypeError, match=re.escape(f"unexpected keyword argument '{name}'. {RENAMED[name]}")):
        WordRank([["a", "b"]], **{name: 1})
    assert set(re.findall(r"[Uu]se '(\w+)'", RENAMED[name])) <= OURS
    assert name not in OURS


def test_unknown_parameters_are_rejected():
    """A misspelled parameter is a TypeError, as in Python."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'vektor_size'$"):
        WordRank([["a", "b"]], vektor_size=5)


def test_callbacks_and_trim_rule_without_a_corpus(caplog):
    """They are not kept for train and build_vocab, and gensim's warnings say so."""
    with caplog.at_level(logging.WARNING):
        WordRank(callbacks=[object()], trim_rule=max)
    warned = " ".join(record.getMessage() for record in caplog.records)
    assert "Callbacks are no longer retained by the model" in warned
    assert "trim_rule provided, if any, will be ignored" in warned

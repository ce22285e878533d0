"""Parameters of Word2Vec, of the old wrapper and of earlier versions."""

import inspect
import logging
import re

import pytest
from gensim.models import Word2Vec
from gensim_wordrank import WordRank, compatibility
from gensim_wordrank.compatibility import IGNORED, RENAMED

OURS = inspect.signature(WordRank.__init__).parameters
THEIRS = {
    name: parameter.default
    for name, parameter in inspect.signature(Word2Vec.__init__).parameters.items()
    if name not in ("self", "sentences", "corpus_file")
}


@pytest.fixture(autouse=True)
def _new_process(monkeypatch):
    """Forget which ignored parameters were logged."""
    monkeypatch.setattr(compatibility, "_logged", set())


def test_positions_are_those_of_word2vec():
    """The first parameters are those of Word2Vec, in its order, and no argument has another position."""
    positional = [name for name, parameter in OURS.items() if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    assert positional == list(inspect.signature(Word2Vec.__init__).parameters)
    model = WordRank([["a", "b"]] * 5, None, 7, 0.2, 3, 1, None, 0.001, 4, 1, 0.0, 1, 0, 5, 0.75, 1, hash, 2)
    assert (model.vector_size, model.alpha, model.window, model.min_count, model.seed, model.epochs) == (
        7,
        0.2,
        3,
        1,
        4,
        2,
    )


@pytest.mark.parametrize("name", THEIRS)
def test_every_parameter_of_word2vec_is_accepted(name, two_worlds, caplog):
    """Each parameter either has an effect or is mentioned in one line of information, and none is a warning."""
    with caplog.at_level(logging.INFO, "gensim_wordrank"):
        WordRank(two_worlds, **{"epochs": 1, "workers": 1, name: THEIRS[name]})
    told = [record.getMessage() for record in caplog.records if "are ignored" in record.getMessage()]
    assert told == (
        [f"parameters of Word2Vec that WordRank does not need are ignored: {name} ({IGNORED[name]})"]
        if name in IGNORED
        else []
    )
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


def test_ignored_parameters_are_mentioned_once(caplog):
    """A process logs one line for all ignored parameters of its models."""
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            WordRank(sg=1, negative=5, hs=0)
    assert caplog.text.count("are ignored") == 1
    assert "sg (each word ranks its contexts, as in skip-gram); hs (" in caplog.text


def test_lost_exponent_of_negatives(caplog):
    """Another `ns_exponent` than Word2Vec's default has no substitute, so each model warns."""
    for _ in range(2):
        WordRank(ns_exponent=-0.5)
    assert caplog.text.count("'ns_exponent' of -0.5 has no effect") == 2


# alpha, window, symmetric, min_count, max_vocab_size, epsilon, sorted_vocab and corpus_file kept their names
@pytest.mark.parametrize("name", RENAMED)
def test_renamed_parameters_are_rejected(name):
    """The error names the replacement, which exists."""
    with pytest.raises(TypeError, match=re.escape(f"unexpected keyword argument '{name}'. {RENAMED[name]}")):
        WordRank([["a", "b"]], **{name: 1})
    assert set(re.findall(r"[Uu]se '(\w+)'", RENAMED[name])) <= OURS.keys()
    assert name not in OURS


def test_unknown_parameters_are_rejected():
    """A misspelled parameter is a TypeError with the nearest name, if one is near."""
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'vektor_size'\. Did you mean 'vector_size'\?$"):
        WordRank([["a", "b"]], vektor_size=5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'xyz'$"):
        WordRank([["a", "b"]], xyz=5)


def test_misspelled_parameters_of_train():
    """`train` rejects names that are like one of its parameters; like Word2Vec, it ignores others."""
    sentences = [["a", "b"]]
    model = WordRank(sentences, min_count=1, vector_size=2, epochs=1)
    for name, similar in (("epoch", "epochs"), ("callback", "callbacks"), ("total_example", "total_examples")):
        message = rf"WordRank\.train\(\) got an unexpected keyword argument '{name}'\. Did you mean '{similar}'\?$"
        with pytest.raises(TypeError, match=message):
            model.train(sentences, total_examples=1, **{name: 1})
    model.train(sentences, total_examples=1, epochs=1, verbose=False)
    assert model.epochs_done == 2


def test_callbacks_and_trim_rule_without_a_corpus(caplog):
    """They are not kept for train and build_vocab, and gensim's warnings say so."""
    with caplog.at_level(logging.WARNING):
        WordRank(callbacks=[object()], trim_rule=max)
    warned = " ".join(record.getMessage() for record in caplog.records)
    assert "Callbacks are no longer retained by the model" in warned
    assert "trim_rule provided, if any, will be ignored" in warned

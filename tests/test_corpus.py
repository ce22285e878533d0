"""Sentences in, ids out."""

import pytest
from gensim_wordrank.corpus import checked, encode, refuse_one_shot


def test_unknown_words_are_left_out_and_sentences_kept_apart():
    """Neighbours of an unknown word move together; a border stays between sentences."""
    text, n_sentences, n_tokens = encode([["a", "?", "b"], [], ["?"], ["b", "a"]], {"a": 0, "b": 1})
    assert text.tolist() == [-1, 0, 1, -1, -1, -1, 1, 0, -1]
    assert (n_sentences, n_tokens) == (4, 6)


@pytest.mark.parametrize("sentence", ["a plain string", b"bytes"])
def test_strings_are_refused(sentence):
    """A sentence that is one string would train on its letters."""
    with pytest.raises(TypeError, match="plain string .*Split each sentence"):
        list(checked([["fine"], sentence]))


def test_bags_of_words_are_refused():
    """A bag of words has no order to lay a window over."""
    with pytest.raises(TypeError, match="bag of words .*token lists"):
        list(checked([[(0, 1), (5, 2)]]))


def test_what_can_be_read_once_is_refused():
    """Generators and other iterators are named; lists and restartable objects pass."""
    for one_shot in ((sentence for sentence in [["a"]]), iter([["a"]]), map(list, ["ab"])):
        with pytest.raises(TypeError, match="can be read only once; .*Pass a list"):
            refuse_one_shot(one_shot)
    refuse_one_shot([["a"]])

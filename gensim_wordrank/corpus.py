"""Sentences from the user: checked, and turned into one array of word ids."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def refuse_one_shot(sentences: Any) -> None:
    """Raise TypeError if `sentences` can be read only once."""
    if isinstance(sentences, Iterator):
        raise TypeError(
            f"'sentences' is a {type(sentences).__name__} and can be read only once; WordRank reads it twice. "
            "Pass a list, or an object whose __iter__ starts again."
        )


def checked(sentences: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Yield the sentences; raise TypeError at the first that is not a list of tokens.

    Examples
    --------
    >>> from gensim_wordrank.corpus import checked
    >>> list(checked([["a", "b"], []]))
    [['a', 'b'], []]
    """
    for sentence in sentences:
        if isinstance(sentence, (str, bytes)):
            raise TypeError(
                f"'sentences' must hold lists of words. Got the plain string {sentence[:40]!r} instead, whose letters "
                "would become the words. Split each sentence, as in [line.split() for line in lines]."
            )
        if len(sentence) and isinstance(sentence[0], tuple):
            raise TypeError(
                f"'sentences' must hold lists of words. Got a bag of words ({sentence[0]!r}, ...) instead, which has "
                "lost the order of the words. Pass the token lists it was made from."
            )
        yield sentence


def encode(sentences: Iterable[Sequence[str]], ids: Mapping[str, int]) -> tuple[NDArray[np.int32], int, int]:
    """Turn sentences into word ids; words without an id are left out, and so their neighbours move together.

    Returns
    -------
    text : array of int32
        The ids, with a -1 in front of and behind each sentence.
    n_sentences, n_tokens : int
        What was read, words without an id included.

    Examples
    --------
    >>> from gensim_wordrank.corpus import encode
    >>> text, n_sentences, n_tokens = encode([["a", "rare", "b"], ["b"]], {"a": 0, "b": 1})
    >>> text.tolist(), n_sentences, n_tokens
    ([-1, 0, 1, -1, 1, -1], 2, 4)
    """
    text = array("i", [-1])
    n_sentences = n_tokens = 0
    for sentence in checked(sentences):
        text.extend([ids[word] for word in sentence if word in ids])
        text.append(-1)
        n_sentences += 1
        n_tokens += len(sentence)
    return np.frombuffer(text, dtype=np.int32), n_sentences, n_tokens

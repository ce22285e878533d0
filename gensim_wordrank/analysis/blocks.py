"""Blocks of consecutive sentences of a text, from which other texts are put together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gensim_wordrank.text.corpus import Corpus
from gensim_wordrank.text.tokens import SENTENCE_BOUNDARY, TokenIds
from gensim_wordrank.types import Ids

# with fewer, the blocks drawn say little about the variance of a text
MIN_BLOCKS = 10


def split(text: Corpus, n_blocks: int) -> list[Ids]:
    """Return the word ids of a text in blocks of whole sentences, of about as many words each.

    Sentences that follow each other are often about the same. They stay together, so the blocks are more independent
    than sentences are. A long sentence may fill several blocks: then there are fewer.

    Examples
    --------
    >>> from gensim_wordrank.analysis.blocks import split
    >>> from gensim_wordrank.text.corpus import read
    >>> [block.tolist() for block in split(read([["a"], ["b"], ["a"], ["b"]] * 5), n_blocks=10)][:2]
    [[0, -1, 1, -1], [0, -1, 1, -1]]
    """
    ids = text.token_ids.as_array()
    if ids is None:
        raise MemoryError("The word ids of the text do not fit into memory. Allow more 'memory', or use less text.")
    ends = np.flatnonzero(ids == SENTENCE_BOUNDARY)
    cuts = np.unique(ends[np.searchsorted(ends, np.linspace(0, len(ids) - 1, n_blocks + 1))])
    if len(cuts) <= MIN_BLOCKS:
        raise ValueError(
            f"The text has too few sentences: {len(cuts) - 1} blocks of whole sentences, and {MIN_BLOCKS} are needed. "
            "Split it into shorter sentences, or give more text."
        )
    return np.split(ids[1:], cuts[1:-1])  # without the boundary before the text


def join(text: Corpus, blocks: Iterable[Ids]) -> Corpus:
    """Return the text that consists of some blocks of `text`."""
    token_ids = TokenIds(text.token_ids.max_bytes, text.token_ids.directory)
    for block in blocks:
        token_ids.append(block)
    counts = np.zeros(len(text.words) + 1, np.int64)  # of boundaries, and of each word
    for chunk in token_ids.chunks():
        counts += np.bincount(chunk - SENTENCE_BOUNDARY, minlength=len(counts))
    return Corpus(text.words, counts[1:], int(counts[0]) - 1, int(counts[1:].sum()), token_ids)

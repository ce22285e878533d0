"""Read sentences or files into token ids, and validate what the user passes."""

from __future__ import annotations

import hashlib
import itertools
import logging
import numbers
import os
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from gensim_wordrank._utils import validation
from gensim_wordrank.text.tokens import SENTENCE_BOUNDARY, UNKNOWN, ToIds, TokenIds, file_ids
from gensim_wordrank.types import Ids

logger = logging.getLogger(__name__)

# tokens of an iterable that are turned into ids at a time
BATCH_SIZE = 1 << 18
# words of a file from which on compacting their memory pays
COMPACT_FROM = 1 << 16
# share of the memory for token ids; the rest is for counting
TOKEN_IDS_SHARE = 0.4
# ids that are hashed at once: the arrays stay in a core's cache
HASHED_AT_ONCE = 1 << 14


@dataclass
class VocabCounts:
    """The vocabulary and size of a text, wherever its tokens are kept.

    Attributes
    ----------
    words : list
        The word of each id.
    counts : array of int64
        How often each word occurs.
    n_sentences, n_tokens : int
        Size of the text, including unknown words.
    """

    words: list[Any]
    counts: NDArray[np.int64]
    n_sentences: int
    n_tokens: int

    def select_vocabulary(self, min_count: int, max_size: int | None) -> dict[Any, int]:
        """Return new ids for the words that occur at least `min_count` times, most frequent first, as in gensim."""
        kept = np.flatnonzero(self.counts >= min_count)
        if not len(kept):
            raise ValueError(f"No word of the text occurs {min_count} times. Lower 'min_count', or give more text.")
        order = kept[frequency_order(self.counts[kept])][:max_size]
        return {self.words[i]: new for new, i in enumerate(order.tolist())}


@dataclass
class Corpus(VocabCounts):
    """A text that has been read into word ids."""

    token_ids: TokenIds

    def digest(self) -> str:
        """Return a digest of the sentences in any order, one of the sorted word counts, and the sizes of the text.

        See :func:`may_be_same_text`.
        """
        sentences_hash = sum(_hash_sentences(segment) for segment in self.token_ids.segments(HASHED_AT_ONCE)) % 2**64
        counts_hash = hashlib.blake2b(np.sort(self.counts[self.counts > 0]).data, digest_size=16)
        return f"{sentences_hash:x} {counts_hash.hexdigest()} {self.n_tokens}/{self.n_sentences} {len(self.words)}"

    def __iter__(self) -> Iterator[list[Any]]:
        """Yield the sentences, without unknown words."""
        sentence: list[Any] = []
        for number, chunk in enumerate(self.token_ids.chunks()):
            for i in chunk.tolist()[not number :]:  # the text begins with a boundary
                if i == SENTENCE_BOUNDARY:
                    yield sentence
                    sentence = []
                else:
                    sentence.append(self.words[i])

    def reindex(self, vocabulary: Mapping[Any, int]) -> Corpus:
        """Return the same text with other word ids; words without an id are removed, so the window closes over them.

        Examples
        --------
        >>> from gensim_wordrank.text.corpus import read
        >>> list(read([["a", "rare", "b"], ["b"]]).reindex({"b": 0, "a": 1}))
        [['a', 'b'], ['b']]
        """
        if self.words == list(vocabulary):
            return self
        new_id, counts = map_ids(self.words, self.counts, vocabulary)
        return Corpus(list(vocabulary), counts, self.n_sentences, self.n_tokens, self.token_ids.reindex(new_id))


def _hash_sentences(ids: Ids) -> int:
    """Return the sum of the hashes of sentences, which stand between boundaries; that of an empty one is 0."""
    is_boundary = ids == SENTENCE_BOUNDARY
    index = np.arange(len(ids))
    position = index - np.maximum.accumulate(np.where(is_boundary, index, 0))
    hashes = _mix(ids.astype(np.uint64) << np.uint64(32) | position.astype(np.uint64))
    hashes[is_boundary] = 0
    sums = np.add.reduceat(hashes, np.flatnonzero(is_boundary))
    return int(_mix(sums).sum(dtype=np.uint64))


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each number, that of SplitMix64; the hash of 0 is 0."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))


def is_same_text(digest: str, other: str) -> bool:
    """Return True if two digests are of the same sentences, in any order; the vocabulary may have grown since."""
    return digest.partition(" ")[0] == other.partition(" ")[0]


def may_be_same_text(digest: str, other: str) -> bool:
    """Return True if two texts differ at most in the order of words or in the vocabulary they were read with.

    Examples
    --------
    >>> from gensim_wordrank.text.corpus import may_be_same_text, read
    >>> texts = [["a", "b"], ["a"]], [["b", "a"], ["a"]], [["a", "b"]]
    >>> one, shuffled, other = (read(text).digest() for text in texts)
    >>> may_be_same_text(one, shuffled), may_be_same_text(one, other)
    (True, False)
    """
    if not (digest and other):  # a text on a cluster has no digest
        return False
    (_, counts, size, n_words), (_, other_counts, other_size, n_other_words) = digest.split(), other.split()
    return counts == other_counts or (size == other_size and n_words != n_other_words)


def frequency_order(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices that sort counts in descending order, later entries first among ties, as in gensim.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.text.corpus import frequency_order
    >>> frequency_order(np.array([1, 1, 5])).tolist()
    [2, 1, 0]
    """
    return np.lexsort((-np.arange(len(counts)), -np.asarray(counts)))


def validate_source(sentences: Any, corpus_file: Any, passes: int = 1) -> None:
    """Raise an error for an empty list of files, and for sentences that are a path or cannot be read often enough."""
    if isinstance(corpus_file, (list, tuple)) and not corpus_file:
        raise validation.parameter_error("corpus_file", "a text, or a list of at least one", corpus_file)
    if isinstance(sentences, (str, bytes, os.PathLike)):
        raise TypeError(
            f"'sentences' must hold lists of words. Got {_shortened(sentences)} instead. To read a file, pass its name "
            "as 'corpus_file'; to train on lines of text, pass [line.split() for line in lines]."
        )
    if passes > 1 and isinstance(sentences, Iterator):
        raise TypeError(
            f"'sentences' is a {type(sentences).__name__} and can be read only once; WordRank may read it twice. "
            "Pass a list, or an object whose __iter__ starts again."
        )


def validate_sentences(sentences: Any) -> Iterator[Sequence[Any]]:
    """Yield the sentences; raise TypeError at the first one that holds no words.

    Words are hashable objects, and sentences are iterables of words other than strings. Of gensim's corpora of texts,
    such as WikiCorpus, the texts are read.

    Examples
    --------
    >>> from gensim_wordrank.text.corpus import validate_sentences
    >>> list(validate_sentences([["a", "b"], (1, 2), [("an", "edge")], []]))
    [['a', 'b'], (1, 2), [('an', 'edge')], []]
    """
    if hasattr(sentences, "get_texts"):
        texts = sentences.get_texts()
        sentences = (text for text, _ in texts) if getattr(sentences, "metadata", False) else texts
    for number, sentence in enumerate(sentences):
        if isinstance(sentence, (str, bytes)):
            raise TypeError(
                f"'sentences' must hold lists of words. Got the plain string {_shortened(sentence)} instead, whose "
                "letters would become the words. Split each sentence, as in [line.split() for line in lines]; or pass "
                "names of files as 'corpus_file'."
            )
        if not isinstance(sentence, Iterable):
            raise TypeError(
                f"'sentences' must hold lists of words. Sentence {number}, counted from 0, is {_shortened(sentence)}. "
                "Leave it out."
            )
        # looking at the first word of an iterator would take it away
        words = sentence if isinstance(sentence, Sized) and not isinstance(sentence, Iterator) else list(sentence)
        first = next(iter(words), None)
        if _is_bag_entry(first):
            raise TypeError(
                f"'sentences' must hold lists of words. Got a bag of words ({first!r}, ...) instead, which has "
                "lost the order of the words. Pass the token lists it was made from."
            )
        yield words  # type: ignore[misc]  # a sized iterable is enough


def _is_bag_entry(word: Any) -> bool:
    """Return True if a word is a pair of an id and a number, as in the result of gensim's Dictionary.doc2bow."""
    return (
        isinstance(word, tuple)
        and len(word) == 2
        and isinstance(word[0], numbers.Integral)
        and isinstance(word[1], numbers.Real)
    )


def _shortened(value: Any) -> str:
    """Return the representation of a value in an error message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def map_ids(
    words: Sequence[Any], counts: NDArray[np.int64], vocabulary: Mapping[Any, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the id of each word in the vocabulary, or UNKNOWN, and the counts in the order of the vocabulary.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.text.corpus import map_ids
    >>> ids, counts = map_ids(["a", "rare", "b"], np.array([5, 1, 7]), {"b": 0, "a": 1, "new": 2})
    >>> ids.tolist(), counts.tolist()
    ([1, -2, 0], [7, 5, 0])
    """
    new_id = np.fromiter(_known_ids(vocabulary, words), np.int32, len(words))
    new_counts = np.zeros(len(vocabulary), np.int64)
    new_counts[new_id[new_id >= 0]] = counts[new_id >= 0]
    return new_id, new_counts


def read(
    sentences: Iterable[Sequence[Any]] | None = None,
    corpus_file: Any = None,
    *,
    vocabulary: Mapping[Any, int] | None = None,
    workers: int = 1,
    max_bytes: int = 1 << 62,
    directory: str | None = None,
    progress: bool = False,
) -> Corpus:
    """Read a corpus once.

    Parameters
    ----------
    sentences : iterable of list of str, optional
        Token lists; may be a generator.
    corpus_file : path, URL, binary file, or list of these, optional
        One sentence per line, words separated by whitespace; anything that smart_open reads.
    vocabulary : mapping of str to int, optional
        Ids of the words to keep; other words are removed, so the window closes over them. Without it, every word gets
        an id, in order of first appearance.
    workers : int
        Threads that tokenize a file.
    max_bytes : int
        Memory for reading and counting. If the token ids need more than their share of it, they go into a temporary
        file in `directory`.
    progress : bool
        Show a progress bar.

    Examples
    --------
    >>> from gensim_wordrank.text.corpus import read
    >>> corpus = read([["a", "rare", "b"], ["b"]], vocabulary={"a": 0, "b": 1})
    >>> corpus.token_ids.as_array().tolist(), corpus.counts.tolist(), corpus.n_tokens
    ([-1, 0, 1, -1, 1, -1], [1, 2], 4)
    """
    started, workers = perf_counter(), validation.positive_integer("workers", workers)
    table = defaultdict[Any, int](itertools.count().__next__) if vocabulary is None else vocabulary
    to_ids: ToIds = partial(map, table.__getitem__) if vocabulary is None else partial(_known_ids, vocabulary)
    token_ids, n_sentences, n_tokens = TokenIds(int(TOKEN_IDS_SHARE * max_bytes), directory), 0, 0
    counts = np.zeros(len(table), np.int64)
    batches = _sentence_ids(sentences, to_ids) if corpus_file is None else file_ids(corpus_file, to_ids, workers)
    with tqdm(desc="reading", unit="word", unit_scale=True, disable=not progress) as bar:
        for ids, more_sentences in batches:
            tokens = ids[ids != SENTENCE_BOUNDARY]
            n_sentences, n_tokens = n_sentences + more_sentences, n_tokens + len(tokens)
            bar.update(len(tokens))
            if vocabulary is not None:
                ids, tokens = ids[ids != UNKNOWN], tokens[tokens != UNKNOWN]
            more = np.bincount(tokens, minlength=len(counts))
            more[: len(counts)] += counts
            counts = more
            token_ids.append(ids)
    seconds = perf_counter() - started
    logger.info(
        "read %i sentences of %i words in %.1f s, %.0f words per second",
        n_sentences, n_tokens, seconds, n_tokens / seconds,
    )  # fmt: skip
    words = list(table)
    if vocabulary is None and corpus_file is not None and len(words) >= COMPACT_FROM:
        del table, to_ids, batches
        _compact(words, counts)
    return Corpus(words, counts, n_sentences, n_tokens, token_ids)


def _compact(words: list[str], counts: NDArray[np.int64]) -> None:
    """Copy the strings of a large vocabulary, so that frequent words are neighbours in memory.

    Python frees memory in pieces of 1 MiB. A vocabulary keeps the frequent words only; scattered among the others, they
    would keep the memory of all. Lowers the peak by 13 of 700 MB for a text of 17M tokens.
    """
    by_count = np.argsort(-counts).data  # not a list, which would hold Python objects
    joined = "\n".join(map(words.__getitem__, by_count))
    words[:] = [""] * len(words)
    for i, word in zip(by_count, joined.split("\n"), strict=False):
        words[i] = word


def _known_ids(vocabulary: Mapping[Any, int], words: Iterable[Any]) -> Iterator[int]:
    """Return the id of each word, or UNKNOWN."""
    return map(vocabulary.get, words, itertools.repeat(UNKNOWN))


def _sentence_ids(sentences: Any, to_ids: ToIds) -> Iterator[tuple[Ids, int]]:
    """Yield batches of sentences as ids, with a boundary after each sentence, and the number of sentences."""
    ids, n_sentences = array("i"), 0
    for sentence in validate_sentences(sentences):
        try:
            ids.extend(to_ids(sentence))
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            raise TypeError(
                f"Words must be hashable, as strings, numbers and tuples are. Got the sentence {_shortened(sentence)} "
                "instead. If it is nested, pass its parts as sentences."
            ) from error
        ids.append(SENTENCE_BOUNDARY)
        n_sentences += 1
        if len(ids) >= BATCH_SIZE:
            yield np.frombuffer(ids, np.int32), n_sentences
            ids, n_sentences = array("i"), 0
    yield np.frombuffer(ids, np.int32), n_sentences

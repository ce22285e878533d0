"""Sentences from the user, checked and turned into a text of word ids."""

from __future__ import annotations

import gc
import hashlib
import logging
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from gensim_wordrank._utils import memory, validation
from gensim_wordrank.text import tokens
from gensim_wordrank.text.ids import SENTENCE_BOUNDARY, UNKNOWN, Text
from gensim_wordrank.types import Ids

logger = logging.getLogger(__name__)

# words of a file whose memory is worth a rearrangement
RENEWED = 1 << 16

# words of an iterable that are turned into ids at a time
BATCH = 1 << 18
# of the memory that is left, what the ids may take; the rest is for counting
TEXT_SHARE = 0.4


@dataclass
class VocabCounts:
    """What reading a text found, wherever its words are kept.

    Attributes
    ----------
    words : list
        The different words.
    counts : array of int64
        How often each occurs.
    n_sentences, n_tokens : int
        What was read, unknown words included.
    """

    words: list[Any]
    counts: NDArray[np.int64]
    n_sentences: int
    n_tokens: int

    def frequent(self, min_count: int, most: int | None) -> dict[Any, int]:
        """Return new ids of the words that occur so often, the most frequent first, as in gensim; at most so many."""
        kept = np.flatnonzero(self.counts >= min_count)
        if not len(kept):
            raise ValueError(f"No word of the text occurs {min_count} times. Lower 'min_count', or give more text.")
        order = kept[by_frequency(self.counts[kept])][:most]
        return {self.words[i]: new for new, i in enumerate(order.tolist())}


@dataclass
class Corpus(VocabCounts):
    """A text as word ids in this process."""

    text: Text

    def digest(self) -> str:
        """Return what tells this text from others: a digest of it, and others of what a change of order leaves alone.

        These are of how often its words occur; and its size, with that of the vocabulary, which may have grown since.
        """
        of_text = hashlib.blake2b(digest_size=16)
        for piece in self.text.pieces():
            of_text.update(piece.data)
        of_counts = hashlib.blake2b(np.sort(self.counts[self.counts > 0]).data, digest_size=16)
        return f"{of_text.hexdigest()} {of_counts.hexdigest()} {self.n_tokens}/{self.n_sentences} {len(self.words)}"

    def __iter__(self) -> Iterator[list[Any]]:
        """Yield the sentences again, without unknown words."""
        sentence: list[Any] = []
        for number, piece in enumerate(self.text.pieces()):
            for i in piece.tolist()[not number :]:  # the text begins with a border
                if i == SENTENCE_BOUNDARY:
                    yield sentence
                    sentence = []
                else:
                    sentence.append(self.words[i])

    def over(self, known: Mapping[Any, int]) -> Corpus:
        """Return the same text with other ids; words without one are left out, and so their neighbours move together.

        Examples
        --------
        >>> from gensim_wordrank.text.corpus import read
        >>> list(read([["a", "rare", "b"], ["b"]]).over({"b": 0, "a": 1}))
        [['a', 'b'], ['b']]
        """
        if self.words == list(known):
            return self
        new_id, counts = renumber(self.words, self.counts, known)
        return Corpus(list(known), counts, self.n_sentences, self.n_tokens, self.text.over(new_id))


def resemble(digest: str, other: str) -> bool:
    """Say whether two texts may be one: with the same words in another order, or read with another vocabulary.

    Examples
    --------
    >>> from gensim_wordrank.text.corpus import read, resemble
    >>> texts = [["a", "b"], ["a"]], [["b", "a"], ["a"]], [["a", "b"]]
    >>> one, shuffled, other = (read(text).digest() for text in texts)
    >>> resemble(one, shuffled), resemble(one, other)
    (True, False)
    """
    if not (digest and other):  # of texts that are not here
        return False
    (_, counts, size, n_words), (_, other_counts, other_size, n_other_words) = digest.split(), other.split()
    return counts == other_counts or (size == other_size and n_words != n_other_words)


def by_frequency(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order of falling counts, among equal ones the later first: that of gensim's vocabularies.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.text.corpus import by_frequency
    >>> by_frequency(np.array([1, 1, 5])).tolist()
    [2, 1, 0]
    """
    return np.lexsort((-np.arange(len(counts)), -np.asarray(counts)))


def refuse_no_files(corpus_file: Any) -> None:
    """Raise ValueError if `corpus_file` is a list of no files."""
    if isinstance(corpus_file, (list, tuple)) and not corpus_file:
        raise validation.parameter_error("corpus_file", "a text, or a list of at least one", corpus_file)


def refuse_one_shot(sentences: Any) -> None:
    """Raise TypeError if `sentences` can be read only once."""
    if isinstance(sentences, Iterator):
        raise TypeError(
            f"'sentences' is a {type(sentences).__name__} and can be read only once; WordRank may read it twice. "
            "Pass a list, or an object whose __iter__ starts again."
        )


def checked(sentences: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Yield the sentences; raise TypeError at the first that is not a list of tokens.

    Examples
    --------
    >>> from gensim_wordrank.text.corpus import checked
    >>> list(checked([["a", "b"], []]))
    [['a', 'b'], []]
    """
    for sentence in sentences:
        if isinstance(sentence, (str, bytes)):
            raise TypeError(
                f"'sentences' must hold lists of words. Got the plain string {sentence[:40]!r} instead, whose letters "
                "would become the words. Split each sentence, as in [line.split() for line in lines]."
            )
        if isinstance(sentence, (Set, Mapping)):
            raise TypeError(
                f"'sentences' must hold lists of words. Got a {type(sentence).__name__} instead, whose words have no "
                "order. Pass the token lists it was made from."
            )
        if len(sentence) and isinstance(sentence[0], tuple):
            raise TypeError(
                f"'sentences' must hold lists of words. Got a bag of words ({sentence[0]!r}, ...) instead, which has "
                "lost the order of the words. Pass the token lists it was made from."
            )
        yield sentence


def room_for_text(budget: int) -> int:
    """Return the bytes that the ids of a text may take of a budget; raise MemoryError if it leaves next to nothing."""
    memory.check(budget)
    return int(TEXT_SHARE * memory.room(budget))


def renumber(
    words: Sequence[Any], counts: NDArray[np.int64], known: Mapping[Any, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the id of each word among the known ones, or UNKNOWN, and the counts of those.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.text.corpus import renumber
    >>> ids, counts = renumber(["a", "rare", "b"], np.array([5, 1, 7]), {"b": 0, "a": 1, "new": 2})
    >>> ids.tolist(), counts.tolist()
    ([1, -2, 0], [7, 5, 0])
    """
    new_id = np.fromiter((known.get(word, UNKNOWN) for word in words), np.int32, len(words))
    new_counts = np.zeros(len(known), np.int64)
    new_counts[new_id[new_id >= 0]] = counts[new_id >= 0]
    return new_id, new_counts


def read(
    sentences: Iterable[Sequence[Any]] | None = None,
    corpus_file: Any = None,
    *,
    known: Mapping[Any, int] | None = None,
    workers: int = 1,
    room: int = 1 << 62,
    directory: str | None = None,
    progress: bool = False,
) -> Corpus:
    """Read a corpus, once.

    Parameters
    ----------
    sentences : iterable of list of str, optional
        Token lists; may be a generator.
    corpus_file : path, address, binary file, or list of these, optional
        One sentence a line, words separated by white space; anything that smart_open reads.
    known : mapping of str to int, optional
        Ids of the words to keep; others are left out, and so their neighbours move together. Without it, every word
        gets an id, in the order in which they first appear.
    workers : int
        Threads that split a file into words.
    room : int
        Bytes of memory that the ids may take; past that they go into a temporary file in `directory`.
    progress : bool
        Show a progress bar.

    Examples
    --------
    >>> from gensim_wordrank.text.corpus import read
    >>> corpus = read([["a", "rare", "b"], ["b"]], known={"a": 0, "b": 1})
    >>> [piece.tolist() for piece in corpus.text.pieces()], corpus.counts.tolist(), corpus.n_tokens
    ([[-1, 0, 1, -1, 1, -1]], [1, 2], 4)
    """
    started, workers = perf_counter(), validation.positive_integer("workers", workers)
    table = dict(known) if known is not None else _Numbering()
    text, n_sentences, n_tokens = Text(room, directory), 0, 0
    counts = np.zeros(len(table), np.int64)
    batches = _batches(sentences, table) if corpus_file is None else _file_batches(corpus_file, table, workers)
    with tqdm(desc="reading", unit="word", unit_scale=True, disable=not progress) as bar:
        for ids, more_sentences in batches:
            tokens = ids[ids != SENTENCE_BOUNDARY]
            n_sentences, n_tokens = n_sentences + more_sentences, n_tokens + len(tokens)
            bar.update(len(tokens))
            if known is not None:
                ids, tokens = ids[ids != UNKNOWN], tokens[tokens != UNKNOWN]
            more = np.bincount(tokens, minlength=len(counts))
            more[: len(counts)] += counts
            counts = more
            text.add(ids)
    seconds = perf_counter() - started
    logger.info(
        "read %i sentences of %i words in %.1f s, %.0f words a second",
        n_sentences, n_tokens, seconds, n_tokens / seconds,
    )  # fmt: skip
    words = list(table)
    if known is None and corpus_file is not None:
        table.clear()
        _renew(words, counts)
    return Corpus(words, counts, n_sentences, n_tokens, text)


def _renew(words: list[str], counts: NDArray[np.int64]) -> None:
    """Put the words of a file into new memory, the frequent ones together.

    Python gives memory back in pieces of 1 MiB, when nothing there is in use any more. A vocabulary keeps the frequent
    words; where these stand among the others, the memory of all would stay.
    """
    if len(words) < RENEWED:
        return
    by_count = np.argsort(-counts).data  # without Python objects, as a list would have
    joined = "\n".join(map(words.__getitem__, by_count))
    words[:] = [""] * len(words)
    gc.collect()  # joblib leaves cycles of objects behind, which stand among the old words
    for i, word in zip(by_count, joined.split("\n"), strict=False):  # without words there is an empty one
        words[i] = word


class _Numbering(dict[Any, int]):
    """Numbers for words, the next one for a new word."""

    def __missing__(self, word: Any) -> int:
        self[word] = number = len(self)
        return number


def _numbers(words: Sequence[Any], table: Mapping[Any, int]) -> Iterable[int]:
    """Return the ids of words."""
    if isinstance(table, _Numbering):
        return map(table.__getitem__, words)
    return [table.get(word, UNKNOWN) for word in words]


def _batches(sentences: Any, table: Mapping[Any, int]) -> Iterator[tuple[Ids, int]]:
    """Yield the ids of many sentences, each with a border behind it, and their number."""
    ids, n = array("i"), 0
    for sentence in checked(sentences):
        ids.extend(_numbers(sentence, table))
        ids.append(SENTENCE_BOUNDARY)
        n += 1
        if len(ids) >= BATCH:
            yield np.frombuffer(ids, np.int32), n
            ids, n = array("i"), 0
    yield np.frombuffer(ids, np.int32), n


def _file_batches(source: Any, table: Mapping[Any, int], workers: int) -> Iterator[tuple[Ids, int]]:
    """Yield the ids of shards of a file or of several, and how many sentences begin there."""
    if isinstance(source, (list, tuple)):
        for each in source:
            yield from _file_batches(each, table, workers)
        return
    last = SENTENCE_BOUNDARY
    for ids, words in tokens.words_of(source, workers):
        if not len(ids):
            continue
        # the border, -1, finds itself at the end
        new_id = np.fromiter(_numbers(words, table), np.int32, len(words))
        borders = np.concatenate([[last == SENTENCE_BOUNDARY], ids == SENTENCE_BOUNDARY])
        n_sentences = int(np.count_nonzero(borders[:-1] & ~borders[1:]))
        last = ids[-1]
        yield np.append(new_id, np.int32(SENTENCE_BOUNDARY))[ids], n_sentences
    if last != SENTENCE_BOUNDARY:
        yield np.array([SENTENCE_BOUNDARY], np.int32), 0

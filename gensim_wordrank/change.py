"""Which words changed from one text to another, how sure that is, and which neighbours they left and joined."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy import stats

from gensim_wordrank import fitting, keyedvectors
from gensim_wordrank._utils import threads, validation
from gensim_wordrank.analysis import blocks, joint, permutation
from gensim_wordrank.analysis.stability import MIN_RESAMPLES, fisher
from gensim_wordrank.model import WordRank
from gensim_wordrank.text import corpus
from gensim_wordrank.text.corpus import Corpus, VocabCounts, map_ids
from gensim_wordrank.types import Ids, Vectors

Text = Iterable[Sequence[Any]] | str | os.PathLike[str]
# Blocks of the shorter text. Articles that are cut into several blocks let too many words seem to change: with 100
# blocks of 600 words from pieces of 2,500 words, 14% of the p-values were 5% or less.
N_BLOCKS = 20
# false discovery rate of the words that are listed first
LEVEL = 0.05
# neighbours among which those are chosen that a word left or joined, per neighbour
CANDIDATES = 3
# parameters of WordRank that joint training does not have
UNUSED = ("sentences", "corpus_file", "cluster", "warm_start", "checkpoint", "subwords", "tolerance", "callbacks")


class ChangedWord(NamedTuple):
    """How far a word moved.

    `cosine` is the cosine between its vectors in the two texts, and `expected` the one expected without a change.
    `p_value` is the probability of a cosine this low without a change. `q_value` is a false discovery rate: if all
    words with this value or less are called changed, about this share of them did not change.
    """

    word: Any
    cosine: float
    expected: float
    p_value: float
    q_value: float


class Change:
    """Word vectors of two texts that can be compared, and how far each word moved.

    Use :meth:`of` to create it. Each text has word vectors of its own. They are trained with the same context vectors,
    so they can be compared without a rotation. Chance moves words, too. To measure how far, the blocks of both texts
    are divided at random into two texts, several times, and vectors are trained in the same way.

    Parameters
    ----------
    names : two of str
        The names of the texts.
    words : sequence
        The words, most frequent first.
    counts : array of int64
        How often each word occurs, by division and text. The first division is the two texts themselves.
    vectors : array of float32
        Word vectors by text and word; those of words that do not occur are replaced by zeros.
    cosines : array of float32
        Cosines of the two vectors of each word, by division. The first division is the two texts themselves.

    Attributes
    ----------
    wv : dict of gensim.models.KeyedVectors
        The vectors of the words that occur in each text, by its name.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank import Change
    >>> random = np.random.default_rng(0)
    >>> topics = [[f"{topic}{i}" for i in range(9)] for topic in ("pet", "tool", "food", "star", "game", "city")]
    >>> old = [list(map(str, random.permutation(topics[random.integers(6)])[:7])) for _ in range(1600)]
    >>> exchanged = {"pet0": "tool0", "tool0": "pet0"}
    >>> new = [[exchanged.get(word, word) for word in sentence] for sentence in old]
    >>> change = Change.of({"1990s": old[:800], "2000s": new[800:]}, window=3, vector_size=8)
    >>> sorted(each.word for each in change.most_changed(2))
    ['pet0', 'tool0']
    """

    def __init__(
        self,
        names: Sequence[str],
        words: Sequence[Any],
        counts: NDArray[np.int64],
        vectors: Vectors,
        cosines: NDArray[np.floating],
    ) -> None:
        self.names, self.words, self.counts, self.cosines = tuple(names), list(words), counts, cosines
        self.vectors = vectors * (counts[0] > 0)[:, :, None]
        self.wv = {name: _keyed(words, *each) for name, *each in zip(names, vectors, counts[0], strict=True)}

    @classmethod
    def of(cls, texts: Mapping[str, Text], resamples: int = 20, **parameters: Any) -> Change:
        """Train word vectors of two texts, and of random divisions of both.

        Parameters
        ----------
        texts : mapping of str to text
            Two texts by name, the earlier first. Each is a file with one sentence per line, or an iterable of token
            lists.
        resamples : int
            Number of random divisions. The whole computation takes as long as training `resamples` + 1 models of both
            texts.
        **parameters
            As in :class:`~gensim_wordrank.WordRank`; `min_count` applies to both texts together.
        """
        if len(texts) != 2:
            raise validation.parameter_error("texts", "two texts by name", list(texts))
        for name in UNUSED:
            if name in parameters:
                raise validation.parameter_error(name, "omitted", parameters[name])
        resamples = validation.positive_integer("resamples", resamples)
        if resamples < MIN_RESAMPLES:
            raise validation.parameter_error("resamples", f"at least {MIN_RESAMPLES}", resamples)
        model = WordRank(**parameters)
        model.seed = validation.seed(model.seed)
        found = [_read(model, text) for text in texts.values()]
        model.build_vocab(_vocabulary(found))
        known = [text.reindex(model.wv.key_to_index) for text in found]
        pieces, first = _equal_blocks(known)
        workers = min(model.workers, resamples + 1)
        parameters |= {"workers": max(1, model.workers // workers)}
        seeds = [model.seed, *np.random.SeedSequence(model.seed).generate_state(resamples).tolist()]

        def train(number: int) -> tuple[NDArray[np.int64], Vectors, Vectors | None]:
            order = np.random.default_rng(seeds[number]).permutation(len(pieces)) if number else range(len(pieces))
            chosen = [pieces[i] for i in order]
            division = [blocks.join(known[0], part) for part in (chosen[:first], chosen[first:])]
            vectors = joint.train(WordRank(**parameters | {"seed": seeds[number]}), division)
            counts = np.stack([text.counts for text in division])
            return counts, _cosines(vectors), None if number else vectors

        trained = threads.parallel_map(train, [(number,) for number in range(resamples + 1)], workers)
        counts, cosines, vectors = zip(*trained, strict=True)
        return cls(list(texts), model.wv.index_to_key, np.stack(counts), vectors[0], np.stack(cosines))

    # ---- results

    def most_changed(self, topn: int = 10) -> list[ChangedWord]:
        """Return the words that moved most.

        Words with a `q_value` of 0.05 or less come first, sorted by `expected` - `cosine`, largest first. All others
        follow, sorted by their p-values.
        """
        return self._changed[:topn]

    def changed(self, word: Any) -> ChangedWord:
        """Return how far a word moved."""
        row = self.row(word)
        for each in self._changed:
            if each.word == self.words[row]:
                return each
        raise KeyError(f"{word!r} is too rare in one of the texts.")

    def row(self, word: Any) -> int:
        """Return the row of a word in `words` and `vectors`."""
        if word not in self._rows:
            raise KeyError(f"Neither text has the word {word!r}.")
        return self._rows[word]

    def neighbours(self, word: Any, topn: int = 5) -> tuple[list[tuple[Any, float, float]], ...]:
        """Return the neighbours that a word left, and those that it joined, with their cosines in the two texts."""
        i = self.row(word)
        cosines = np.stack([unit @ unit[i] for unit in map(keyedvectors.unit, self.vectors)])
        cosines[:, i] = -2
        cosines[:, (self.counts[0] == 0).any(axis=0)] = -2
        result = []
        for number in (0, 1):
            near = np.argsort(-cosines[number], kind="stable")[: min(CANDIDATES * topn, len(self.words) - 1)]
            gained = cosines[number, near] - cosines[1 - number, near]
            best = near[np.argsort(-gained, kind="stable")[:topn]]
            result.append([(self.words[j], *map(float, cosines[:, j])) for j in best.tolist()])
        return tuple(result)

    @cached_property
    def _rows(self) -> dict[Any, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def _changed(self) -> list[ChangedWord]:
        """The words that occur in both texts, in the order of :meth:`most_changed`."""
        rows = np.flatnonzero((self.counts > 0).all(axis=(0, 1)))
        if not len(rows):
            return []
        # a cosine depends on the number of occurrences: vectors of rare words are the noisier
        sizes = -np.log((1 / self.counts[:, :, rows]).sum(axis=1))
        scores, expected = permutation.scores(fisher(self.cosines[:, rows]), sizes)
        p_values = permutation.p_values(scores)
        q_values, cosines, expected = stats.false_discovery_control(p_values), self.cosines[0, rows], np.tanh(expected)
        is_changed, columns = q_values <= LEVEL, (cosines, expected, p_values, q_values)
        order = np.lexsort((-np.where(is_changed, expected - cosines, scores[0]), ~is_changed))
        return [
            ChangedWord(self.words[i], *row)
            for i, *row in zip(rows[order].tolist(), *(column[order].tolist() for column in columns), strict=True)
        ]


def _read(model: WordRank, text: Text) -> Corpus:
    """Read a file or token lists."""
    sentences, corpus_file = (None, text) if isinstance(text, (str, os.PathLike)) else (text, None)
    corpus.validate_source(sentences, corpus_file)
    return fitting.local_backend(model).read(sentences, corpus_file)


def _vocabulary(texts: Sequence[Corpus]) -> VocabCounts:
    """Return the words of all texts, with their counts in all."""
    words = {word: i for i, word in enumerate(dict.fromkeys(word for text in texts for word in text.words))}
    counts = sum(map_ids(text.words, text.counts, words)[1] for text in texts)
    sizes = (sum(getattr(text, name) for text in texts) for name in ("n_sentences", "n_tokens"))
    return VocabCounts(list(words), np.asarray(counts), *sizes)


def _equal_blocks(texts: Sequence[Corpus]) -> tuple[list[Ids], int]:
    """Return both texts in blocks of about as many words each, and how many of them are the first text."""
    shortest = max(1, min(int(text.counts.sum()) for text in texts))
    one, other = (blocks.split(text, round(N_BLOCKS * int(text.counts.sum()) / shortest)) for text in texts)
    return [*one, *other], len(one)


def _cosines(vectors: Vectors) -> Vectors:
    """Return the cosine of the two vectors of each word."""
    result: Vectors = np.einsum("nd,nd->n", *map(keyedvectors.unit, vectors))
    return result


def _keyed(words: Sequence[Any], vectors: Vectors, counts: NDArray[np.int64]) -> KeyedVectors:
    """Return the vectors of the words that occur."""
    rows, result = np.flatnonzero(counts), KeyedVectors(vectors.shape[1])
    result.add_vectors([words[i] for i in rows.tolist()], vectors[rows])
    result.expandos["count"] = counts[rows]
    return result

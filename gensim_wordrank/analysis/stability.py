"""How far the neighbours of a word depend on the text: intervals of cosines, and words that cannot be trusted."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy.stats import t as student

from gensim_wordrank._utils import atomic_files, safetensors, validation
from gensim_wordrank.analysis.resampling import resampled_vectors
from gensim_wordrank.keyedvectors import nearest, unit
from gensim_wordrank.text.corpus import Corpus
from gensim_wordrank.types import Floats, Vectors

LEVEL = 0.95
# fewer resamples that know both words give no interval
MIN_RESAMPLES = 3
# neighbours that decide whether a word can be trusted, and the mean share of resamples that must have them
TRUSTED_NEIGHBOURS, TRUSTED_SHARE = 10, 0.5
# words that show how far cosines of neighbours fall from one text to the next
SAMPLE_SIZE = 200
# cosines up to here: Fisher's transform of 1 is infinite
MAX_COSINE = 1 - 1e-4
KIND = "gensim-wordrank stability 1"
REMEDY = "Make it again with `wordrank stability`."


class Interval(NamedTuple):
    """A cosine, and the interval of the cosine in a model of another text."""

    cosine: float
    low: float
    high: float


class Neighbour(NamedTuple):
    """A neighbour of a word, the interval of their cosine, and the share of resamples that have this neighbour."""

    word: Any
    cosine: float
    low: float
    high: float
    share: float


class Stability:
    """The vectors of a model, and of models of resampled texts.

    Use :meth:`WordRank.stability <gensim_wordrank.WordRank.stability>` to create it.

    Intervals are for another text of the same kind and size: 95 in 100 of them contain the cosine in a model of that
    text. They are t intervals on the scale of Fisher's transform, artanh(cosine), with the standard deviation
    over the resamples times sqrt(2), because both texts vary.

    Some of the nearest words of a model are nearest only because their cosines came out too high. In another text,
    these cosines are lower. How much lower is estimated by looking up the neighbours in each resample in the others.
    Intervals of :meth:`most_similar` are moved down by this, so a cosine may lie near the upper end of its interval
    or above it.

    Parameters
    ----------
    wv : KeyedVectors
        The vectors of the model.
    resampled : array of float16
        Unit vectors by resample and word, zeros for words that a resample lacks.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank import WordRank
    >>> text = datapath("lee_background.cor")
    >>> stability = WordRank(corpus_file=text, vector_size=50).stability(corpus_file=text, resamples=5)
    >>> [near.word for near in stability.most_similar("Afghanistan") if near.share == 1]
    ['Afghanistan.']
    """

    def __init__(self, wv: KeyedVectors, resampled: NDArray[np.float16]) -> None:
        if resampled.ndim != 3 or resampled.shape[1] != len(wv.index_to_key):
            raise validation.parameter_error("resampled", f"vectors of {len(wv)} words", resampled.shape)
        self.wv, self.resampled = wv, resampled
        self.known: NDArray[np.bool_] = np.asarray(resampled.any(axis=2))

    @classmethod
    def of(cls, model: Any, text: Corpus, resamples: int = 10) -> Stability:
        """Train models on resampled texts; see :meth:`WordRank.stability <gensim_wordrank.WordRank.stability>`."""
        resamples = validation.positive_integer("resamples", resamples)
        if resamples < MIN_RESAMPLES:
            raise validation.parameter_error("resamples", f"at least {MIN_RESAMPLES}", resamples)
        return cls(model.wv, resampled_vectors(model, text, resamples))

    # ---- results

    def similarity(self, word: Any, other: Any) -> Interval:
        """Return the cosine of two words with its interval. Do not choose the words for their cosine.

        Examples
        --------
        >>> import numpy as np
        >>> from gensim.models import KeyedVectors
        >>> from gensim_wordrank.analysis.stability import Stability
        >>> wv = KeyedVectors(2)
        >>> wv.add_vectors(["a", "b"], np.array([[1.0, 0.0], [0.6, 0.8]]))
        >>> Stability(wv, np.tile(wv.vectors.astype(np.float16), (3, 1, 1))).similarity("a", "b").cosine
        0.6...
        """
        i, j = self.wv.get_index(word), self.wv.get_index(other)
        cosine = self._cosines(i)[[j]]
        low, high = self._intervals(cosine, self._resampled_cosines(i, np.array([j])), shift=0.0)
        return Interval(float(cosine[0]), float(low[0]), float(high[0]))

    def most_similar(self, word: Any, topn: int = 10) -> list[Neighbour]:
        """Return the nearest words with their shares and the intervals of their cosines.

        The share of a neighbour is the share of resamples in which it is one of the `topn` nearest words.
        """
        i = self.wv.get_index(word)
        cosines = self._cosines(i)
        near = nearest(cosines, i, topn)
        low, high = self._intervals(cosines[near], self._resampled_cosines(i, near), self.fall)
        (shares,) = self._shares([i], [near], topn)
        columns = cosines[near], low, high, shares
        return [
            Neighbour(self.wv.index_to_key[j], *row)
            for j, *row in zip(near.tolist(), *(column.tolist() for column in columns), strict=True)
        ]

    def agreement(self, words: Sequence[Any]) -> list[float]:
        """Return the mean share of the ten nearest words of each word.

        Words below 0.5 cannot be trusted: most of their neighbours change with the sample.
        """
        rows = [self.wv.get_index(word) for word in words]
        near = [nearest(self._cosines(i), i, TRUSTED_NEIGHBOURS) for i in rows]
        return [float(shares.mean()) for shares in self._shares(rows, near, TRUSTED_NEIGHBOURS)]

    def is_trusted(self, word: Any) -> bool:
        """Return True if the ten nearest words of a word are in at least half of the resamples, on average."""
        return self.agreement([word])[0] >= TRUSTED_SHARE

    @cached_property
    def fall(self) -> float:
        """How far the cosines of neighbours fall in another text, in standard deviations over the resamples.

        Each resample in turn takes the place of the model: its neighbours of a sample of words are looked up in the
        other resamples.
        """
        words = np.flatnonzero(self.known.all(axis=0))
        words = np.random.default_rng(0).permutation(words)[:SAMPLE_SIZE]
        falls, deviations = 0.0, 0.0
        for number, (vectors, known) in enumerate(zip(self.resampled, self.known, strict=True)):
            others = np.delete(np.arange(len(self.resampled)), number)
            rows = vectors.astype(np.float32)
            for i, cosines in zip(words.tolist(), rows[words] @ rows.T, strict=True):
                near = nearest(np.where(known, cosines, np.float32(-2)), i, TRUSTED_NEIGHBOURS)
                there = fisher(self._resampled_cosines(i, near)[others])
                usable = np.isfinite(there).sum(axis=0) >= MIN_RESAMPLES - 1
                there = there[:, usable]
                falls += float((fisher(cosines[near[usable]]) - np.nanmean(there, axis=0)).sum())
                deviations += float(_deviations(there).sum())
        return max(0.0, falls / deviations) if deviations else 0.0

    # ---- cosines

    @cached_property
    def _unit(self) -> Vectors:
        return unit(self.wv.vectors)

    def _cosines(self, i: int) -> Vectors:
        """Return the cosines of a word with all words."""
        result: Vectors = self._unit @ self._unit[i]
        return result

    def _resampled_cosines(self, i: int, near: NDArray[np.int64]) -> Vectors:
        """Return the cosines of a word with some others, by resample; NaN where a resample lacks one of the two."""
        word, others = self.resampled[:, i].astype(np.float32), self.resampled[:, near].astype(np.float32)
        cosines = np.einsum("rd,rnd->rn", word, others)
        return np.where(self.known[:, near] & self.known[:, [i]], cosines, np.float32(np.nan))

    def _shares(self, rows: Sequence[int], near: Sequence[NDArray[np.int64]], topn: int) -> list[Floats]:
        """Return, for each word, the share of the resamples in which its neighbours are among the `topn` nearest."""
        found = [np.zeros(len(each)) for each in near]
        for half, known in zip(self.resampled, self.known, strict=True):
            vectors = half.astype(np.float32)
            for number, i in enumerate(rows):
                if known[i]:
                    cosines = np.where(known, vectors @ vectors[i], np.float32(-2))
                    found[number] += np.isin(near[number], nearest(cosines, i, topn)) & known[near[number]]
        return [each / len(self.resampled) for each in found]

    def _intervals(self, cosines: Vectors, resampled: Vectors, shift: float) -> tuple[Floats, Floats]:
        """Return the ends of the intervals; without enough resamples, those of all cosines."""
        n = np.isfinite(resampled).sum(axis=0)
        enough = n >= MIN_RESAMPLES
        low, high = np.full(len(cosines), -1.0), np.full(len(cosines), 1.0)
        deviations = _deviations(fisher(resampled[:, enough]))
        centre = fisher(cosines[enough]) - shift * deviations
        half = student.ppf((1 + LEVEL) / 2, n[enough] - 1) * np.sqrt(2) * deviations
        low[enough], high[enough] = np.tanh(centre - half), np.tanh(centre + half)
        return low, high

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vectors of the resamples, but not those of the model, to a safetensors file."""
        words = np.frombuffer(json.dumps(list(map(str, self.wv.index_to_key))).encode("ascii"), np.uint8)

        def write(name: str) -> None:
            with Path(name).open("wb") as file:
                safetensors.write(file, {"words": words, "resampled": self.resampled}, {"format": KIND})

        atomic_files.write_atomically(path, write)

    @classmethod
    def load(cls, path: str | os.PathLike[str], wv: KeyedVectors) -> Stability:
        """Load what :meth:`save` wrote for the model with the vectors `wv`."""
        try:
            with atomic_files.describe_read_errors(path), Path(path).open("rb") as file:
                arrays, strings = safetensors.read(file)
            if strings.get("format") != KIND:
                raise safetensors.DamagedFile(f"it holds {strings.get('format')!r}, not {KIND!r}")
            words, resampled = json.loads(bytes(arrays["words"])), arrays["resampled"]
            is_whole = resampled.dtype == np.float16 and resampled.ndim == 3 and resampled.shape[1] == len(words)
            if not (is_whole and np.isfinite(resampled).all()):
                raise safetensors.DamagedFile("its vectors are not those of its words")
        except (safetensors.DamagedFile, KeyError, TypeError) as error:
            raise ValueError(f"'{path}' is damaged or holds no stability: {error}. {REMEDY}") from error
        if words != list(map(str, wv.index_to_key)):
            raise ValueError(f"'{path}' belongs to another model: its words are not those of this one. {REMEDY}")
        return cls(wv, resampled)


def fisher(cosines: Any) -> Floats:
    """Return Fisher's transform, on whose scale the variance of a cosine hardly depends on its value."""
    result: Floats = np.arctanh(np.clip(cosines, -MAX_COSINE, MAX_COSINE))
    return result


def _deviations(values: Floats) -> Floats:
    """Return the standard deviation of each column, over the rows that have a number."""
    result: Floats = np.nanstd(values, axis=0, ddof=1)
    return result


def format_stability(word: Any, neighbours: Sequence[Neighbour], agreement: float) -> str:
    """Return the neighbours of a word as lines of text.

    Examples
    --------
    >>> from gensim_wordrank.analysis.stability import Neighbour, format_stability
    >>> print(format_stability("tea", [Neighbour("coffee", 0.71, 0.5, 0.8, 0.9)], agreement=0.4))
    tea (do not trust: on average a resample has 40% of its 10 nearest words)
      0.710  ( 0.50 to  0.80)   90%  coffee
    """
    found = f"on average a resample has {agreement:.0%} of its {TRUSTED_NEIGHBOURS} nearest words"
    title = f"{word} ({'' if agreement >= TRUSTED_SHARE else 'do not trust: '}{found})"
    rows = (f"  {n.cosine:.3f}  ({n.low:5.2f} to {n.high:5.2f})  {n.share:4.0%}  {n.word}" for n in neighbours)
    return "\n".join([title, *rows])

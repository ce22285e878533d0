"""What WordRank takes from gensim: its vocabulary code and its files, with our checks around them."""

from __future__ import annotations

import logging
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from gensim.models import Word2Vec
from scipy.special import softmax

from gensim_wordrank import keyedvectors
from gensim_wordrank._utils import atomic_files, checksummed, memory, validation
from gensim_wordrank.cluster.optional import read_pairs, read_texts, team_on
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.text import corpus
from gensim_wordrank.training import memory_estimate
from gensim_wordrank.training.trainer import Solver
from gensim_wordrank.types import Vectors

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class GensimModel(Word2Vec):  # type: ignore[misc]  # gensim has no type information
    """Word2Vec as a base class: it brings the vocabulary, lifecycle events and files, and consumers know it."""

    context_vectors: Vectors
    context_bias: Vectors
    cooccurrence: Cooccurrence | None
    symmetric: bool
    solver: Solver
    cluster: Any = None
    _team: Any = None  # the machines of the cluster, while they count and train

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("cluster", "_team")}

    @contextmanager
    def _on_machines(self) -> Iterator[None]:
        """Let the same machines of the cluster, if there is one, count and train; pairs do not outlast them."""
        with team_on(self.cluster) as self._team:
            try:
                yield
            finally:
                self._team = None
                if self.cooccurrence is not None and not self.cooccurrence.is_here:
                    self.cooccurrence = None

    @property
    def syn1neg(self) -> Vectors:
        """Word2Vec's name for `context_vectors`."""
        return self.context_vectors

    @syn1neg.setter
    def syn1neg(self, values: Vectors) -> None:
        self.context_vectors = values

    def _check_corpus_sanity(self, corpus_iterable: Any = None, corpus_file: Any = None, passes: int = 1) -> None:
        if passes > 1:
            corpus.validate_restartable(corpus_iterable)
        corpus.validate_corpus_file(corpus_file)
        if corpus_iterable is None and isinstance(corpus_file, (list, tuple)):
            return  # gensim knows one file, which is not compressed
        super()._check_corpus_sanity(corpus_iterable, corpus_file, passes=passes)

    def _read(self, corpus_iterable: Any, corpus_file: Any, known: Mapping[Any, int] | None = None) -> corpus.Corpus:
        """Read a corpus into ids, those of `known` words or, without it, of all."""
        if isinstance(corpus_iterable, corpus.Corpus):  # it was read before
            return corpus_iterable if known is None else corpus_iterable.reindex(known)
        if corpus_file is not None and self._team is not None:
            found = read_texts(self._team, corpus_file)
            return found if known is None else found.reindex(known)
        room = corpus.token_ids_budget(memory.budget(self.memory))
        return corpus.read(
            corpus_iterable, corpus_file, vocabulary=known, workers=self.workers, max_bytes=room, progress=self.progress
        )  # fmt: skip

    def _read_pairs(self, place: str | os.PathLike[str]) -> Cooccurrence:
        """Read co-occurrences that were saved; machines of a cluster read those under an address themselves."""
        if self._team is not None and checksummed.is_url(place):
            return read_pairs(self._team, os.fspath(place))
        return Cooccurrence.load(place, mmap="r")

    def _scan_vocab(self, sentences: Any, progress_per: int, trim_rule: Any) -> Any:
        return super()._scan_vocab(corpus.validate_sentences(sentences), progress_per, trim_rule)

    def scan_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        progress_per: int = 10000,
        workers: int | None = None,
        trim_rule: Any = None,
    ) -> tuple[int, int]:
        """Count the words of a corpus, as Word2Vec does; return the numbers of words and sentences."""
        if self.max_vocab_size is not None:  # the vocabulary is pruned while the text is read
            if isinstance(corpus_file, (list, tuple)):
                corpus_iterable, corpus_file = self._read(None, corpus_file), None
            result: tuple[int, int] = super().scan_vocab(corpus_iterable, corpus_file, progress_per, workers, trim_rule)
            return result
        found = self._read(corpus_iterable, corpus_file)
        self.raw_vocab = defaultdict(int, zip(found.words, found.counts.tolist(), strict=True))
        logger.info(
            "collected %i word types from a corpus of %i raw words and %i sentences",
            len(found.words), found.n_tokens, found.n_sentences,
        )  # fmt: skip
        return found.n_tokens, found.n_sentences

    def prepare_weights(self, update: bool = False) -> None:
        """Make room for the vectors of the vocabulary; refuse an empty one."""
        if not len(self.wv.index_to_key):
            raise RuntimeError(
                "The corpus holds no words. Check what 'sentences' yields; if words were given with counts, whether "
                f"'min_count' ({self.min_count}), 'max_final_vocab' ({self.max_final_vocab}) or 'trim_rule' leaves any."
                if not self.corpus_total_words
                else f"No word of the corpus is left in the vocabulary: 'min_count' is {self.min_count}, and no word "
                f"occurs so often (or 'trim_rule', or 'max_final_vocab', which is {self.max_final_vocab} and leaves "
                "out all that are equally frequent at its border, discards them all). Change it, or give more text."
            )
        n_words, size = len(self.wv.index_to_key), self.vector_size
        epoch = memory_estimate.epoch_memory(n_words, 0, size, self.solver, self.workers)
        self._require_memory(memory_estimate.vectors_memory(n_words, size) + epoch)
        super().prepare_weights(update=update)

    def _require_memory(self, size: int) -> None:
        """Raise MemoryError if training cannot have so many bytes more."""
        memory.require_available(
            size,
            self.memory,
            "Lower 'vector_size', keep fewer words with 'min_count' or 'max_final_vocab', or give more memory.",
        )

    def _check_training_sanity(
        self, epochs: int | None = 0, total_examples: int | None = None, total_words: int | None = None, **kwargs: Any
    ) -> None:
        if not self.wv.key_to_index or not len(self.wv.vectors):
            raise RuntimeError("There is no vocabulary to train. Call build_vocab() first.")
        if total_words is None and total_examples is None:
            raise ValueError("Give 'total_examples' or 'total_words', as in total_examples=model.corpus_count.")
        validation.positive_integer("epochs", epochs, "The usual value is epochs=model.epochs.")
        self._refuse_parts()
        shape, of_contexts = self.wv.vectors.shape, self.context_vectors.shape
        if len(self.wv.index_to_key) != len(self.wv.vectors) or shape != of_contexts:
            raise RuntimeError(
                f"'wv' has {shape[0]} vectors of size {shape[1]}, and there are {of_contexts[0]} context vectors of "
                f"size {of_contexts[1]}: it was replaced or words were added to it. Use build_vocab() for words and "
                "warm_start() for vectors."
            )
        # what vectors that were put in place of the model's may lack
        self.wv.vectors = self.wv.vectors.astype(np.float32, copy=False)
        self.context_vectors = self.context_vectors.astype(np.float32, copy=False)
        self.wv.vectors_lockf = getattr(self.wv, "vectors_lockf", np.ones(1, np.float32))
        if self.alpha > self.min_alpha_yet_reached:
            logger.warning("Effective 'alpha' higher than previous training cycles")

    def reset_from(self, other_model: Word2Vec) -> None:
        """Take the vocabulary of another model, of this or another kind, and start anew.

        The vocabulary is copied, so that either model can grow without the other.
        """
        self.wv = keyedvectors.keyed_like(other_model.wv, np.empty((0, self.vector_size), np.float32))
        self.corpus_count = other_model.corpus_count
        self.corpus_total_words = other_model.corpus_total_words
        self.effective_min_count = getattr(other_model, "effective_min_count", other_model.min_count)
        self.init_weights()

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Estimate the bytes that training takes at its peak, by what takes them, with their "total".

        The pairs of a model that is not trained yet are estimated from the counts of its words; for a `vocab_size`
        other than its own, from those of a usual text.

        Examples
        --------
        >>> from gensim_wordrank import WordRank
        >>> sorted(WordRank(vector_size=100).estimate_memory(vocab_size=100_000))
        ['context_vectors', 'cooccurrence', 'total', 'vectors', 'vocab', 'workspace']
        """
        n_words = vocab_size or len(self.wv)
        if n_words == len(self.wv) and "count" in self.wv.expandos:
            counts = self.wv.expandos["count"]
        else:  # Zipf's law, where the rarest word is as rare as it may be
            counts = max(self.min_count, 1) * n_words / np.arange(1, n_words + 1)
        if self.cooccurrence is not None and self.cooccurrence.shape[0] == n_words:
            n_pairs = self.cooccurrence.nnz
        else:
            length = self.corpus_total_words / self.corpus_count if self.corpus_count else np.inf
            n_pairs = memory_estimate.expected_pairs(counts, length, self.window, self.symmetric)
        n_tokens = int(np.sum(counts))
        parts = memory_estimate.training_memory(n_words, n_pairs, n_tokens, self.vector_size, self.solver, self.workers)
        result = {**(report or {}), **parts}
        result["total"] = sum(result.values())
        logger.info("estimated required memory for %i words and %i pairs: %i bytes", n_words, n_pairs, result["total"])
        return result

    @property
    def has_contexts(self) -> bool:
        """Whether there is a context vector for every word; without them a model may have been saved."""
        is_whole = self.context_vectors is not None and self.context_bias is not None
        return is_whole and len(self.wv) == len(self.context_vectors) > 0

    def _check_contexts(self) -> None:
        """Refuse what needs context vectors where there are none, or not of the words."""
        if not self.has_contexts:
            raise RuntimeError("There are no context vectors of these words. Train the model, or load a whole one.")

    def _refuse_parts(self) -> None:
        """Refuse what needs a whole model where some of it was not saved."""
        if self.context_vectors is None or self.context_bias is None:
            self._check_contexts()

    def predict_output_word(
        self, context_words_list: Iterable[str | int], topn: int = 10
    ) -> list[tuple[str, float]] | None:
        """Return the words that are most likely near the given ones, with their probabilities.

        They are those that the given words rank highest among their contexts: the scores <u, v> + b, averaged over the
        given words and put through a softmax.

        Parameters
        ----------
        context_words_list : iterable of str or int
            Words or their indices (where words are numbers, words); unknown ones are left out. If all are unknown the
            result is None, as in Word2Vec.
        topn : int
            How many words to return.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(common_texts, vector_size=20, min_count=1, epochs=100, x_max=1)
        >>> sorted(word for word, _ in model.predict_output_word(["graph"], topn=3))
        ['graph', 'minors', 'trees']
        """
        self._check_contexts()
        index, named = self.wv.key_to_index, isinstance(self.wv.index_to_key[0], str)
        given = [
            self.wv.get_index(word)
            for word in context_words_list
            if word in (self.wv if named else index)  # gensim takes a number that is no word for an index
        ]
        if not given:
            logger.warning("All the input context words are out-of-vocabulary for the current model.")
            return None
        word = self.wv.vectors[given].mean(axis=0)
        scores = self.context_vectors @ word
        if self.solver is Solver.SAMPLED and len(self.context_bias):  # Algorithm 1 has no bias
            scores[: len(self.context_bias)] += self.context_bias
            scores[len(self.context_bias) :] += self.context_bias.min()  # new words, not trained yet
        chances = softmax(scores.astype(np.float64))
        best = np.argsort(-chances, kind="stable")[:topn]
        return [(self.wv.index_to_key[i], float(chances[i])) for i in best]

    def score(self, *args: Any, **kwargs: Any) -> None:
        """Refuse: only hierarchical softmax gives sentences a likelihood."""
        raise NotImplementedError(
            "WordRank gives sentences no likelihood. Compare them through model.wv.n_similarity or wmdistance, or "
            "words in a context through predict_output_word."
        )

    def save(self, fname: str | os.PathLike[str] | IO[bytes], **kwargs: Any) -> None:
        """Save the model in gensim's format; what was there before is replaced only by a whole new model.

        An open file, or an address as smart_open knows them, is written to as it is.
        """
        if not isinstance(fname, (str, os.PathLike)) or checksummed.is_url(fname):
            super().save(fname, **kwargs)
        else:
            if atomic_files.is_special_file(fname):  # a pipe takes one file
                kwargs = {"sep_limit": sys.maxsize} | kwargs
            atomic_files.write_atomically(fname, lambda name: super(GensimModel, self).save(name, **kwargs))

    @classmethod
    def load(cls, fname: str | os.PathLike[str], mmap: str | None = None) -> Self:
        """Load a model that :meth:`save` wrote. The format is pickle: load only files you trust."""
        try:
            with atomic_files.describe_read_errors(fname):
                model = super(Word2Vec, cls).load(os.fspath(fname), mmap=mmap)
        except AttributeError as error:  # what any other pickle ends in
            raise AttributeError(f"'{os.fspath(fname)}' holds no {cls.__name__} model: {error}.") from error
        if not isinstance(model, cls):
            raise AttributeError(
                f"'{os.fspath(fname)}' holds a {type(model).__name__}, not a {cls.__name__} model. "
                f"Load it with {type(model).__name__}.load."
            )
        return model

"""What WordRank takes from gensim: its vocabulary code and its files, with our checks around them."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gensim.models import Word2Vec

from gensim_wordrank import checks, corpus, files, memory

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class GensimModel(Word2Vec):  # type: ignore[misc]  # gensim has no type information
    """Word2Vec as a base class: it brings the vocabulary, lifecycle events and files, and consumers know it."""

    def _check_corpus_sanity(self, corpus_iterable: Any = None, corpus_file: Any = None, passes: int = 1) -> None:
        if passes > 1:
            corpus.refuse_one_shot(corpus_iterable)
        super()._check_corpus_sanity(corpus_iterable, corpus_file, passes=passes)

    def _read(self, corpus_iterable: Any, corpus_file: Any, known: Mapping[Any, int] | None = None) -> corpus.Corpus:
        """Read a corpus into ids, those of `known` words or, without it, of all."""
        if isinstance(corpus_iterable, corpus.Corpus):  # it was read before
            return corpus_iterable if known is None else corpus_iterable.over(known)
        budget = memory.budget(self.memory)
        memory.check(budget)
        room = int(corpus.TEXT_SHARE * memory.room(budget))
        return corpus.read(
            corpus_iterable, corpus_file, known=known, workers=self.workers, room=room, progress=self.progress
        )  # fmt: skip

    def _scan_vocab(self, sentences: Any, progress_per: int, trim_rule: Any) -> Any:
        return super()._scan_vocab(corpus.checked(sentences), progress_per, trim_rule)

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
                "The corpus holds no words. Check what 'sentences' yields."
                if not self.corpus_total_words
                else f"No word of the corpus is left in the vocabulary: 'min_count' is {self.min_count}, and no word "
                "occurs so often (or 'trim_rule' discards them all). Lower it, or give more text."
            )
        super().prepare_weights(update=update)

    def _check_training_sanity(
        self, epochs: int | None = 0, total_examples: int | None = None, total_words: int | None = None, **kwargs: Any
    ) -> None:
        if not self.wv.key_to_index or not len(self.wv.vectors):
            raise RuntimeError("There is no vocabulary to train. Call build_vocab() first.")
        if total_words is None and total_examples is None:
            raise ValueError("Give 'total_examples' or 'total_words', as in total_examples=model.corpus_count.")
        checks.positive_integer("epochs", epochs, "The usual value is epochs=model.epochs.")
        if self.alpha > self.min_alpha_yet_reached:
            logger.warning("Effective 'alpha' higher than previous training cycles")

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Estimate the bytes that the model needs, as Word2Vec does, with the context vectors."""
        report = dict(report or {})
        report["context_vectors"] = (vocab_size or len(self.wv)) * self.vector_size * np.dtype(np.float32).itemsize
        result: dict[str, int] = super().estimate_memory(vocab_size, report)
        return result

    def save(self, fname: str | os.PathLike[str], **kwargs: Any) -> None:
        """Save the model in gensim's format; what was there before is replaced only by a whole new model."""
        files.replace_whole(fname, lambda name: super(GensimModel, self).save(name, **kwargs))

    @classmethod
    def load(cls, fname: str | os.PathLike[str], mmap: str | None = None) -> Self:
        """Load a model that :meth:`save` wrote. The format is pickle: load only files you trust."""
        model = super().load(os.fspath(fname), mmap=mmap)
        if not isinstance(model, cls):
            raise AttributeError(
                f"'{os.fspath(fname)}' holds a {type(model).__name__}, not a {cls.__name__} model. "
                f"Load it with {type(model).__name__}.load."
            )
        return model

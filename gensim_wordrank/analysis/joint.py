"""Word vectors of several texts in one space: each text has its own, and context vectors are common to all."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from gensim_wordrank import weights
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.text.corpus import Corpus
from gensim_wordrank.training import whitening
from gensim_wordrank.training.backend import LocalBackend
from gensim_wordrank.training.schedule import Schedule
from gensim_wordrank.training.state import State
from gensim_wordrank.training.trainer import Trainer
from gensim_wordrank.types import Vectors


def train(model: Any, texts: Sequence[Corpus]) -> Vectors:
    """Return the word vectors of each text, as an array by text, word and dimension.

    `model` is untrained, and the texts have the same words. A word starts from the same vector in each text. The
    vectors can be compared without a rotation: all of them are trained with the same context vectors.
    """
    n, words = len(texts), texts[0].words
    model.wv.index_to_key, model.wv.key_to_index = words, dict(zip(words, range(len(words)), strict=True))
    model.wv.expandos["count"] = np.sum([text.counts for text in texts], axis=0)
    weights.initialize(model)
    counts = _stack(
        [Cooccurrence.from_text(text, model.window, model.symmetric, model.distance_weighting) for text in texts]
    )
    summary = counts.summarize()
    weights.begin(model, summary)
    start = weights.state_of(model)
    start.words, start.word_accumulator = np.tile(start.words, (n, 1)), np.tile(start.word_accumulator, n)
    schedule = Schedule(model.epochs, model.alpha, model.min_alpha, model.sharpness)
    trainer = Trainer(model.objective, schedule, LocalBackend(model.workers, model.memory), model.seed, model.method)
    (last,) = deque(trainer.run(start, counts, summary), maxlen=1)
    state: State = last.state()
    vectors = state.words
    if weights.is_basis_changed(model):
        basis, _ = whitening.usable_basis(vectors, np.tile(state.contexts, (n, 1)), counts.counts)
        vectors = whitening.change_basis(vectors, basis)
    return vectors.reshape(n, len(words), model.vector_size)


def _stack(parts: Sequence[Cooccurrence]) -> Cooccurrence:
    """Return the rows of several matrices below each other; the columns are common."""
    offsets = np.cumsum([0, *(part.nnz for part in parts)])
    starts = [part.indptr[:-1] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    return Cooccurrence(
        np.concatenate([part.data for part in parts]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([*starts, offsets[-1:]]),
        counts=np.concatenate([part.counts for part in parts]),
        n_contexts=parts[0].n_contexts,
    )

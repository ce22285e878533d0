"""Models of resampled texts: blocks of the text drawn with replacement, and a model trained on each draw."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import persistence
from gensim_wordrank._utils import threads
from gensim_wordrank.analysis import blocks, joint
from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.subwords.table import improve_words
from gensim_wordrank.text.corpus import Corpus
from gensim_wordrank.types import Ids

logger = logging.getLogger(__name__)

# enough for the variance of a text, and few enough that a block is longer than most documents
N_BLOCKS = 100
# share of the model's epochs that a resample is trained for. With five epochs instead of ten, intervals cover as well.
EPOCHS_SHARE = 0.5
# a word whose counts in text and model differ by more than this factor shows that the model has another text
MAX_RATIO = 1.5


def resampled_vectors(model: Any, text: Corpus, resamples: int) -> NDArray[np.float16]:
    """Train a model on each of `resamples` draws of blocks of the text; return the unit vectors of `model`'s words.

    Each model has a seed of its own and starts from random vectors: one that starts from the vectors of `model` stays
    near them, and the resamples would agree far too well. Vectors of words that a draw lacks are zeros. The result has
    the shape (resamples, words, vector size) and does not depend on the number of threads.
    """
    _require_text_of(model, text)
    pieces = blocks.split(text, N_BLOCKS)
    parameters = persistence.describe(model)["model"]["parameters"]
    parameters["epochs"] = max(1, int(EPOCHS_SHARE * model.epochs))
    parameters["workers"] = max(1, model.workers // resamples)
    seeds = np.random.SeedSequence(model.seed).generate_state(resamples).tolist()
    result = np.zeros((resamples, len(text.words), model.vector_size), np.float16)

    def train(number: int) -> None:
        draw = _draw(text, pieces, seeds[number])
        (vectors,) = joint.train(type(model)(**parameters | {"seed": seeds[number]}), [draw])
        if model.subwords:
            vectors, _ = improve_words(text.words, draw.counts, vectors, parameters["workers"])
        result[number] = unit(vectors) * (draw.counts > 0)[:, None]

    for _ in threads.parallel_map(train, [(number,) for number in range(resamples)], min(model.workers, resamples)):
        pass
    return result


def _draw(text: Corpus, pieces: list[Ids], seed: int) -> Corpus:
    """Return a text of as many blocks, drawn with replacement."""
    chosen = np.random.default_rng(seed).integers(len(pieces), size=len(pieces))
    return blocks.join(text, [pieces[i] for i in chosen])


def _require_text_of(model: Any, text: Corpus) -> None:
    """Refuse a model whose resamples would say nothing of it; warn of a text that it was not trained on."""
    if model._keeps_basis:
        raise ValueError(
            "The model was trained from given vectors, which it does not keep, so that no resample can start from "
            "them. Train a model without 'warm_start'."
        )
    known = model.wv.expandos.get("count")
    if known is None or not model._has_counts:
        return
    total, expected = int(text.counts.sum()), int(np.sum(known))
    if not expected / MAX_RATIO <= total <= expected * MAX_RATIO:
        logger.warning(
            "the text has %i words of the vocabulary, and the model was trained on %i: intervals are for models of "
            "texts like this one", total, expected,
        )  # fmt: skip

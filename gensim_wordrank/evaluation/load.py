"""Models of any kind, from their files, as the command line and reports see them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import smart_open
from gensim.models import KeyedVectors

from gensim_wordrank._utils import atomic_files
from gensim_wordrank.evaluation import vector_files
from gensim_wordrank.model import WordRank

logger = logging.getLogger(__name__)

# of Word2Vec, and of others that have them
PARAMETERS = ("vector_size", "window", "min_count", "epochs", "alpha", "min_alpha", "seed", "sg", "hs", "negative")


@dataclass(frozen=True)
class Subject:
    """A model as a report sees it.

    Attributes
    ----------
    name : str
        What to call it.
    words : KeyedVectors
        Vectors for similarity.
    vectors : callable, optional
        What gives others by name, as :meth:`WordRank.vectors <gensim_wordrank.WordRank.vectors>` does.
    losses : sequence of float
        Of every epoch, if they are known.
    facts : mapping
        Its parameters, if they are known.
    """

    name: str
    words: KeyedVectors
    vectors: Callable[[str], KeyedVectors] | None = None
    losses: Sequence[float] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def sums(self) -> KeyedVectors:
        """Vectors for analogies; those of words where there are no others."""
        return self.words if self.vectors is None else self.vectors("sum")


def load(path: str) -> Subject:
    """Return a model of ours, of gensim, or a file of vectors.

    Examples
    --------
    >>> import os, tempfile
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation.load import load
    >>> path = os.path.join(tempfile.mkdtemp(), "toy.model")
    >>> WordRank(common_texts, vector_size=10, min_count=1, epochs=5).save(path)
    >>> len(load(path).words), len(load(path).losses), load(path).facts["epochs"]
    (12, 5, 5)
    """
    if not is_pickle(path):
        return Subject(path, vector_files.read_vectors(path))
    with atomic_files.describe_read_errors(path):
        model = KeyedVectors.load(path)
    if isinstance(model, WordRank):
        if not model.has_contexts:
            logger.warning("'%s' has no context vectors of its words: u stands for u + v", path)
        others = model.vectors if model.has_contexts else None
        return Subject(path, model.wv, others, model.training_losses, facts(model))
    words = getattr(model, "wv", model)
    if not isinstance(words, KeyedVectors):
        raise ValueError(f"'{path}' holds a {type(model).__name__}, which has no word vectors.")
    known = {} if words is model else {name: getattr(model, name) for name in PARAMETERS if hasattr(model, name)}
    return Subject(path, words, facts=known)


def is_pickle(path: str) -> bool:
    """Say whether a file holds a model as gensim saves them, and not vectors alone."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file '{path}'.")
    with atomic_files.describe_read_errors(path), smart_open.open(path, "rb") as file:
        return bool(file.read(1) == b"\x80")


def facts(model: WordRank) -> dict[str, Any]:
    """Return what a model is and how it was trained, as JSON can hold it.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation.load import facts
    >>> facts(WordRank(common_texts, vector_size=10, min_count=1, epochs=5))["rank_loss"]
    'log'
    """
    return {
        "words": len(model.wv),
        "vector_size": int(model.vector_size),
        "window": int(model.window),
        "symmetric": model.symmetric,
        "distance_weighting": model.distance_weighting,
        "min_count": int(model.min_count),
        "solver": model.solver.value,
        "alpha": float(model.alpha),
        "min_alpha": float(model.min_alpha),
        "seed": int(model.seed),
        "epochs": model.epochs_done,
        "loss": float(model.get_latest_training_loss()),
        "pairs": model.cooccurrence.nnz if model.cooccurrence is not None else None,
        "seconds": round(float(model.total_train_time), 1),
        **{name: getattr(value, "value", value) for name, value in asdict(model.objective).items()},
    }

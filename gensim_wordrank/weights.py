"""The vectors of a model: initial values, the state that training changes, and what follows training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import keyedvectors
from gensim_wordrank._utils import memory, system
from gensim_wordrank.cooccurrence.csr import CountSummary
from gensim_wordrank.subwords.table import improve_words
from gensim_wordrank.training import memory_estimate, whitening
from gensim_wordrank.training.state import (
    Init,
    State,
    are_given,
    given_accumulator,
    initial_accumulator,
    initial_bias,
    initial_vectors,
    initial_words,
    relative_evidence,
)
from gensim_wordrank.types import Solver, Vectors

FLOAT_BYTES = np.dtype(np.float32).itemsize


def require_memory(model: Any, n_pairs: int, more: int = 0) -> None:
    """Raise MemoryError if an epoch with so many pairs, and `more` bytes, do not fit."""
    n_words = len(model.wv.index_to_key)
    epoch = memory_estimate.epoch_memory(n_words, n_pairs, model.vector_size, model.solver, model.workers)
    memory.require_available(
        epoch + more,
        model.memory,
        "Lower 'vector_size', keep fewer words with 'min_count' or 'max_final_vocab', or give more memory.",
    )


def initialize(model: Any) -> None:
    """Initialize the vectors of all words and contexts."""
    require_memory(model, 0, 2 * FLOAT_BYTES * len(model.wv.index_to_key) * model.vector_size)
    model.wv.vectors, model.context_vectors = _initial_vectors(model)
    model._initial_seed = model.seed
    # initialized when the co-occurrences are counted
    model.context_bias, model._accumulators = np.empty(0, np.float32), np.empty((2, 0), np.float32)
    model.wv.norms, model.wv.vectors_lockf = None, np.ones(1, np.float32)
    model._trained_words, model._keeps_basis = None, False


def extend(model: Any) -> None:
    """Initialize the vectors of new words and contexts; the others keep theirs."""
    old, n = len(model.wv.vectors), len(model.wv.index_to_key)
    require_memory(model, 0, 2 * FLOAT_BYTES * n * model.vector_size)
    new_words, new_contexts = (vectors[old:] for vectors in _initial_vectors(model))
    model._initial_seed = model.seed
    model.wv.vectors = np.vstack([model.wv.vectors, new_words])
    model.context_vectors = np.vstack([model.context_vectors, new_contexts])
    keyedvectors.extend_locks(model.wv)
    model.wv.norms = None


def _initial_vectors(model: Any) -> list[Vectors]:
    """Return the initial vectors of all words and contexts."""
    n, positive = len(model.wv.index_to_key), model.init is Init.POSITIVE
    vectors = [initial_vectors(n, model.vector_size, model.seed, part, positive=positive) for part in (0, 1)]
    if model.init is Init.SHARED:
        vectors[0] = initial_words(_evidence(model), model.vector_size, model.seed)
    return vectors


def begin(model: Any, summary: CountSummary) -> None:
    """Initialize the bias and the accumulators of words that are new since the last training."""
    known = len(model.context_bias)
    if known == len(model.wv):
        return
    bias = initial_bias(summary.context_sums) * np.float32(model.method.bias)
    model.context_bias = np.append(model.context_bias, bias[known:])
    new = initial_accumulator(_evidence(model)[known:], model.epochs)
    model._accumulators = np.hstack([model._accumulators, np.stack([new, new])])
    _hold_given_vectors(model, known)
    model._initial_seed = None  # of no further use, and no part of a checkpoint


def _hold_given_vectors(model: Any, first: int) -> None:
    """Let vectors that a user gave move less, and keep them in their basis, if words from `first` on have any."""
    positive = model.init is Init.POSITIVE
    # subclasses may set `seed` after the vectors were initialized
    seed = model.seed if model._initial_seed is None else model._initial_seed
    for part, vectors in enumerate((model.wv.vectors, model.context_vectors)):
        given = np.flatnonzero(are_given(vectors, seed, part, positive=positive)[first:]) + first
        if len(given):
            held = np.float32(given_accumulator(vectors[given]))
            model._accumulators[part, given] = np.maximum(model._accumulators[part, given], held)
            model._keeps_basis = True


def _evidence(model: Any) -> NDArray[Any]:
    """Return how often each word was seen, or infinity if that is not known or, as in Algorithm 1, has no effect.

    Neither the sums of the rows of a matrix nor counts that are all equal tell how often a word was seen.
    """
    counts = frequencies(model)
    if model._has_counts and model.solver is Solver.SAMPLED and np.ptp(counts) > 0:
        return relative_evidence(counts)
    return np.full(len(counts), np.inf)


def frequencies(model: Any) -> NDArray[Any]:
    """Return the counts of the words, or ones if they are not known."""
    return np.asarray(model.wv.expandos.get("count", np.ones(len(model.wv.index_to_key))))


def trained_words(model: Any) -> Vectors:
    """Return the word vectors as trained, without the help of n-grams; those of `wv` if it was replaced."""
    trained, vectors = model._trained_words, model.wv.vectors
    result: Vectors = trained if trained is not None and trained.shape == vectors.shape else vectors
    return result


def state_of(model: Any) -> State:
    """Return the parameters that training changes."""
    words, contexts = model._accumulators
    u, v, bias = trained_words(model), model.context_vectors, model.context_bias
    return State(u, v, bias, words, contexts, model._passes_done, model._xi)


def set_state(model: Any, state: State) -> None:
    """Take over parameters; locked vectors do not change."""
    if has_locks(model):
        keyedvectors.restore_locked(model.wv, state.words)
    model.wv.vectors, model.context_vectors, model.context_bias = state.words, state.contexts, state.bias
    model._accumulators = np.stack([state.word_accumulator, state.context_accumulator])
    model._passes_done, model._xi = state.epoch, state.xi
    model.wv.norms = None  # otherwise a callback would see the cosines of the epoch before


def has_locks(model: Any) -> bool:
    """Return True if a word vector is locked, wholly or in part."""
    return bool((np.asarray(getattr(model.wv, "vectors_lockf", 1.0)) != 1).any())


def is_basis_changed(model: Any) -> bool:
    """Return True if the basis changes when training ends; with a constant rate, vectors stay as trained."""
    return bool(model.alpha != model.min_alpha and not model._keeps_basis if model.whiten is None else model.whiten)


def change_basis(model: Any) -> None:
    """Express the vectors in the basis in which they are used; locked vectors stay as they are."""
    if not has_locks(model):
        basis, inverse = whitening.usable_basis(model.wv.vectors, model.context_vectors, frequencies(model))
        model.wv.vectors = whitening.change_basis(model.wv.vectors, basis)
        model.context_vectors = whitening.change_basis(model.context_vectors, inverse)
        model.wv.norms = None


def append_popularity(model: Any, popularity: float) -> None:
    """Append the centred log-counts of the words, times `popularity`, to u, in units of the length of u; and 0 to v.

    Cosines of u then prefer frequent words. First u is centred, and the bias takes over what that changes, so all
    scores stay as they are.
    """
    mean = model.wv.vectors.mean(axis=0) * np.float32(model.method.has_bias)
    centred = model.wv.vectors - mean
    logs = np.log(np.maximum(frequencies(model), 1))
    last = popularity * (logs - logs.mean()) * np.linalg.norm(centred, axis=1)
    model.wv.vectors = np.column_stack([centred, last]).astype(np.float32)
    model.context_bias = model.context_bias + model.context_vectors @ mean
    model.context_vectors = np.pad(model.context_vectors, ((0, 0), (0, 1)))
    model.vector_size = model.layer1_size = model.wv.vector_size = model.vector_size + 1
    model.wv.norms = None


def apply_subwords(model: Any) -> None:
    """Let rare words lean on their n-grams, unless vectors are locked; keep the table for unknown words."""
    words, trained = model.wv.index_to_key, model.wv.vectors
    improved, model.subword_table = improve_words(words, frequencies(model), trained, model.workers)
    if not has_locks(model):
        model.wv.vectors, model._trained_words, model.wv.norms = improved, trained, None
    system.trim_heap()


def undo_subwords(model: Any) -> None:
    """Return to the vectors as trained, before they or the vocabulary change."""
    model.wv.vectors, model._trained_words, model.subword_table = trained_words(model), None, None
    model.wv.norms = None

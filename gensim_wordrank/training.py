"""Minimising the objective, an epoch at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gensim_wordrank import _triplets
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.losses import PairLoss, RankLoss
from gensim_wordrank.objective import Objective
from gensim_wordrank.ranks import Vectors

logger = logging.getLogger(__name__)


@dataclass
class State:
    """What training changes."""

    words: Vectors  # U
    contexts: Vectors  # V
    epoch: int = 0  # epochs done; the random numbers of the next one depend on it


def start_vectors(n: int, size: int, seed: int, part: int) -> Vectors:
    """Return `n` random unit vectors in the positive orthant, as the authors' program starts.

    The direction they share can stand for the frequency of a context. `part` tells U (0) from V (1).
    """
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, part)))
    vectors = random.random((n, size), dtype=np.float32)
    vectors += np.float32(1e-6)  # a row of zeros would have no direction
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def run_epochs(
    state: State,
    counts: Cooccurrence,
    objective: Objective,
    epochs: int,
    alpha: float,
    min_alpha: float,
    seed: int,
    workers: int,
) -> Iterator[float]:
    """Run `epochs` on the co-occurrences; after each, yield the estimated objective.

    The learning rate falls linearly from `alpha` to `min_alpha`. If an epoch diverges, the state is put back to
    where it began and FloatingPointError says so.
    """
    for epoch in range(epochs):
        step = alpha - (alpha - min_alpha) * epoch / epochs
        good = state.words.copy(), state.contexts.copy()
        loss = _triplet_epoch(state, counts, objective, step, seed, workers)
        if not (np.isfinite(loss) and np.isfinite(state.words).all() and np.isfinite(state.contexts).all()):
            state.words[:], state.contexts[:] = good
            raise FloatingPointError(
                f"Training diverged in epoch {epoch + 1} of {epochs} (loss {loss}); the vectors are those of the epoch "
                f"before. Lower 'alpha' (now {alpha:g})."
            )
        state.epoch += 1
        yield loss


def _triplet_epoch(
    state: State, counts: Cooccurrence, objective: Objective, step: float, seed: int, workers: int
) -> float:
    """Algorithm 1: xi exactly (stage 2), then a triplet a pair (stage 1); return the estimate of the bound."""
    weights = objective.weights(counts.data)
    if objective.rank_loss is RankLoss.IDENTITY:
        xi = np.ones(counts.nnz, np.float32)  # rho_0 is linear: the bound is the objective whatever xi is
    else:
        xi = objective.exact_xi(state.words, state.contexts, counts, workers)
    total = _triplets.run_triplets(
        state.words, state.contexts, counts.indptr, counts.indices, weights, xi, counts.nnz,
        RankLoss(objective.rank_loss).code, PairLoss(objective.pair_loss).code, objective.t,
        objective.rank_scale, objective.rank_offset, objective.l2,
        # the authors' step: a pair of average weight moves as if it weighed 1
        step * counts.nnz / max(float(weights.sum(dtype=np.float64)), 1e-30),
        int(np.random.SeedSequence(seed, spawn_key=(1, state.epoch)).generate_state(1, np.uint64)[0]),
    )  # fmt: skip
    return float(total)

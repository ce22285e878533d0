"""The reference solver: one epoch of Algorithm 1 as the paper prints it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gensim_wordrank import _triplets
from gensim_wordrank.cooccurrence.csr import require_whole_files
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import RankLoss
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Vectors


def triplet_epoch(
    config: TrainingConfig, counts: Cooccurrence, state: State, point: SchedulePoint, workers: int
) -> tuple[State, float, float]:
    """Update xi exactly (stage 2), then run one triplet per pair (stage 1).

    Return the new state, the estimate of the bound, and the sum of the weights of the sampled pairs.

    Stage 1 is one sequence of updates on one thread; stage 2 runs on `workers` threads. There is no bias.
    """
    require_whole_files(counts.data, counts.indices, counts.indptr)
    objective = config.objective
    weights = objective.weights(config.expected.excess(counts, slice(None)))
    if objective.rank_loss is RankLoss.IDENTITY:
        # rho_0 is linear: the bound is the objective for any xi
        xi: Vectors = np.ones(counts.nnz, np.float32)
    else:
        xi = objective.exact_xi(state.words, state.contexts, counts, workers)
    new = replace(state, words=state.words.copy(), contexts=state.contexts.copy(), epoch=state.epoch + 1)
    options = _triplets.TripletOptions(
        **objective.kernel_options(),
        l2=config.effective_l2,
        # as in the authors' program, a pair of average weight moves as if its weight were 1
        learning_rate=point.learning_rate * counts.nnz / max(float(weights.sum(dtype=np.float64)), 1e-30),
    )
    seed = config.partition.cell_seed(state.epoch, 0, 0)
    loss, weight = _triplets.run_triplets(
        new.words, new.contexts, (counts.indptr, counts.indices), weights, xi, counts.nnz, options, seed
    )
    return new, loss, weight

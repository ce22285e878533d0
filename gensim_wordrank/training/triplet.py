"""An epoch of Algorithm 1 as the paper prints it: the reference solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gensim_wordrank import _triplets
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Vectors


def triplet_epoch(
    state: State, counts: Cooccurrence, objective: Objective, plan: Partition, pace: SchedulePoint, workers: int
) -> tuple[State, float]:
    """Update xi exactly (stage 2), then draw a triplet a pair (stage 1); return the new state and the bound's estimate.

    Stage 1 is one sequence of updates, on one thread; stage 2 runs on `workers`. There is no bias: it stays as it is.
    """
    weights = objective.weights_of(counts)(slice(None))
    if objective.rank_loss is RankLoss.IDENTITY:
        # rho_0 is linear: the bound is the objective whatever xi is
        xi: Vectors = np.ones(counts.nnz, np.float32)
    else:
        xi = objective.exact_xi(state.words, state.contexts, counts, workers)
    new = replace(state, words=state.words.copy(), contexts=state.contexts.copy(), epoch=state.epoch + 1)
    options = _triplets.TripletOptions(
        rank_loss=RankLoss(objective.rank_loss).code, pair_loss=PairLoss(objective.pair_loss).code, t=objective.t,
        rank_scale=objective.rank_scale, rank_offset=objective.rank_offset,
        l2=objective.effective_l2(counts.n_contexts, counts.nnz),
        # the authors' step: a pair of average weight moves as if it weighed 1
        learning_rate=pace.step * counts.nnz / max(float(weights.sum(dtype=np.float64)), 1e-30),
    )  # fmt: skip
    total = _triplets.run_triplets(
        new.words, new.contexts, (counts.indptr, counts.indices), weights, xi, counts.nnz, options,
        plan.cell_seed(state.epoch, 0, 0),
    )  # fmt: skip
    return new, total

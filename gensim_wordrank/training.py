"""Minimising the objective, an epoch at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import Enum

from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.objective import Objective
from gensim_wordrank.plan import Plan
from gensim_wordrank.sampled import sampled_epoch
from gensim_wordrank.state import State
from gensim_wordrank.triplets import triplet_epoch


class Solver(str, Enum):
    """How an epoch is run."""

    SAMPLED = "sampled"  # the fast one
    TRIPLET = "triplet"  # Algorithm 1 as the paper prints it


# learning rates that hold from small texts to large ones
USUAL_ALPHA = {Solver.SAMPLED: 0.15, Solver.TRIPLET: 0.01}
_EPOCHS = {Solver.SAMPLED: sampled_epoch, Solver.TRIPLET: triplet_epoch}


def run_epochs(
    state: State,
    counts: Cooccurrence,
    objective: Objective,
    solver: Solver,
    epochs: int,
    alpha: float,
    min_alpha: float,
    seed: int,
    workers: int,
    done: int = 0,
) -> Iterator[tuple[State, float]]:
    """Run those of `epochs` that are not `done`; after each, yield the new state and the estimated objective.

    The learning rate falls linearly from `alpha` to `min_alpha`. An epoch that diverges ends in FloatingPointError; the
    state that was yielded before it is the last good one.
    """
    plan = Plan.of(counts, seed)
    for epoch in range(done, epochs):
        step = alpha - (alpha - min_alpha) * epoch / epochs
        try:
            new, loss = _EPOCHS[solver](state, counts, objective, plan, step, workers)
            if not (math.isfinite(loss) and new.is_finite()):
                raise FloatingPointError("the loss or a vector is not finite")
        except FloatingPointError as error:
            raise FloatingPointError(
                f"Training diverged in epoch {epoch + 1} of {epochs}; the vectors are those of the epoch before. "
                f"Lower 'alpha' (now {alpha:g}), or choose a less extreme 'rank_scale' (now {objective.rank_scale:g}), "
                f"'rank_offset' (now {objective.rank_offset:g}) or 'l2' (now {objective.l2:g}): at a learning rate of "
                f"{step:g}, {error}."
            ) from error
        state = new
        yield state, loss

"""Minimising the objective, an epoch at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from gensim_wordrank._utils import validation
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.objective.objective import MANY_PAIRS, Objective
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.sampled import TrainingConfig, sampled_epoch
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.training.triplet import triplet_epoch


class Solver(str, Enum):
    """How an epoch is run."""

    SAMPLED = "sampled"  # the fast one
    TRIPLET = "triplet"  # Algorithm 1 as the paper prints it


# the largest learning rate: the paper's alpha, which is none, is far above
MAX_LEARNING_RATE = 1.0
# how short the steps of the fast solver are at most
SHORTEST = 0.35
_EPOCHS = {Solver.SAMPLED: sampled_epoch, Solver.TRIPLET: triplet_epoch}


def default_learning_rate(solver: Solver, pair_loss: PairLoss) -> float:
    """Return a learning rate that holds from small texts to large ones; the slopes of the logistic loss are flatter."""
    if solver is Solver.TRIPLET:
        return 0.01
    return 0.5 if pair_loss is PairLoss.LOGISTIC else 0.2


def learning_rate_scale(solver: Solver, n_pairs: int) -> float:
    """Return what the learning rate is multiplied by: the fast solver learns more of small texts in shorter steps.

    Examples
    --------
    >>> from gensim_wordrank.training.trainer import Solver, learning_rate_scale
    >>> [learning_rate_scale(Solver.SAMPLED, n_pairs) for n_pairs in (10_000, 32_000_000, 100_000_000)]
    [0.35, 0.8, 1.0]
    """
    return 1.0 if solver is Solver.TRIPLET else min(1.0, max(SHORTEST, math.sqrt(n_pairs / MANY_PAIRS)))


def check_cluster(cluster: Any, solver: Solver) -> Any:
    """Return `cluster` if training can run on it, before hours are spent on counting."""
    if cluster is None:
        return None
    from gensim_wordrank.cluster.clients import check  # its libraries are an extra

    check(cluster)
    if solver is not Solver.SAMPLED:
        raise validation.parameter_error(
            "solver", "'sampled' with a 'cluster'", solver.value, "Algorithm 1 has one thread."
        )
    return cluster


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
    cluster: Any = None,
) -> Generator[tuple[State, float], None, None]:
    """Run those of `epochs` that are not `done`; after each, yield the new state and the estimated objective.

    They run on `workers` threads of this machine, or on those of a `cluster`; a state there is brought here when its
    arrays are looked at. Steps have the scheduled learning rate, times :func:`learning_rate_scale`.
    An epoch that diverges ends in FloatingPointError; the state that was yielded before it is the last good one.
    """
    plan, length = Partition.of(counts, seed), learning_rate_scale(solver, counts.nnz)
    with _solver_on(cluster, solver, state, counts, objective, plan, workers) as run_epoch:
        for epoch in range(done, epochs):
            pace = SchedulePoint.of(epoch, epochs, length * alpha, length * min_alpha)
            try:
                new, loss = run_epoch(state, pace)
                if not (math.isfinite(loss) and new.is_finite()):
                    raise FloatingPointError("the loss or a vector is not finite")
            except FloatingPointError as error:
                raise FloatingPointError(
                    f"Training diverged in epoch {epoch + 1} of {epochs}; the vectors are those of "
                    f"{'the' if state.is_here else 'an'} epoch before. Lower 'alpha' (now {alpha:g}), or choose a less "
                    f"extreme 'rank_scale' (now {objective.rank_scale:g}), 'rank_offset' (now "
                    f"{objective.rank_offset:g}) or 'l2' (now {objective.l2:g}): at a learning rate of {pace.step:g}, "
                    f"{error}."
                ) from error
            state = new
            yield state, loss


@contextmanager
def _solver_on(
    cluster: Any,
    solver: Solver,
    state: State,
    counts: Cooccurrence,
    objective: Objective,
    plan: Partition,
    workers: int,
) -> Iterator[Callable[[State, SchedulePoint], tuple[State, float]]]:
    """Give the function that runs an epoch from a state at a pace, here or on a cluster."""
    if cluster is None:
        del state  # or the vectors that training began with would stay in memory
        yield lambda state, pace: _EPOCHS[solver](state, counts, objective, plan, pace, workers)
        return
    from gensim_wordrank.cluster.clients import team_of  # its libraries are an extra
    from gensim_wordrank.cluster.driver import Driver

    recipe = TrainingConfig.of(plan, objective, counts, state.words.shape[1])
    with team_of(cluster) as team:
        driver = Driver(team, recipe, counts, state)
        yield lambda _, pace: driver.epoch(pace)

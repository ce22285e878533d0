"""Learning rates and the sharpness of the rank loss, epoch by epoch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.training.method import Method
from gensim_wordrank.types import Solver

# Word2Vec's rates. `alpha` and `min_alpha` are in its units: the usual rate of any solver is 0.025.
DEFAULT_ALPHA, DEFAULT_MIN_ALPHA = 0.025, 0.0001
# The paper's alpha is not a learning rate and far above this: whoever passes it gets an error.
MAX_ALPHA = 1.0


class SchedulePoint(NamedTuple):
    """How one epoch is run."""

    learning_rate: float
    sharpness: float = 1.0  # ranks are multiplied by this before the rank loss is taken


@dataclass(frozen=True)
class Schedule:
    """A run of `epochs` in two phases.

    Rates are in the units of Word2Vec; `scale` (:func:`learning_rate_scale`) turns them into those of the solver. In
    the first phase the learning rate is `alpha` and ranks are multiplied by `sharpness`, as if the paper's alpha and
    beta were that much smaller. In the last fifth of the epochs the loss is the objective itself, and the
    learning rate falls linearly to `min_alpha`. High rates to the end leave noise in the vectors; low rates from the
    start learn less. Fewer than five epochs have several passes over the pairs each, at least five in all; phases and
    rates are then those of the passes. If `alpha` equals `min_alpha`, all epochs are alike and have one pass.

    Examples
    --------
    >>> from gensim_wordrank.training.schedule import Schedule
    >>> schedule = Schedule(epochs=10, alpha=0.025, min_alpha=0.0)
    >>> for epoch in (0, 7, 8, 9):
    ...     print(schedule.at(epoch, scale=20))
    SchedulePoint(learning_rate=0.5, sharpness=5.0)
    SchedulePoint(learning_rate=0.5, sharpness=5.0)
    SchedulePoint(learning_rate=0.375, sharpness=1.0)
    SchedulePoint(learning_rate=0.125, sharpness=1.0)
    """

    epochs: int
    alpha: float
    min_alpha: float
    sharpness: float = SETTINGS.sharpness
    settings: Settings = SETTINGS

    @property
    def passes(self) -> int:
        """Number of passes per epoch."""
        return 1 if self.alpha == self.min_alpha else -(-self.settings.final_fraction // self.epochs)

    @property
    def n_passes(self) -> int:
        """Number of passes in all."""
        return self.epochs * self.passes

    def at(self, number: int, scale: float = 1.0) -> SchedulePoint:
        """Return the learning rate, multiplied by `scale`, and the sharpness of a pass, counted from 0."""
        alpha, min_alpha = scale * self.alpha, scale * self.min_alpha
        if alpha == min_alpha:
            return SchedulePoint(alpha)
        final = self.n_passes // self.settings.final_fraction
        into_final = number - (self.n_passes - final)
        if into_final < 0:
            return SchedulePoint(alpha, self.sharpness)
        return SchedulePoint(alpha - (alpha - min_alpha) * (into_final + 0.5) / final)


def learning_rate_scale(method: Method, pair_loss: PairLoss, n_pairs: int, settings: Settings = SETTINGS) -> float:
    """Return a solver's learning rate per unit of `alpha`; the sampled solver takes shorter steps on small texts.

    Examples
    --------
    >>> from gensim_wordrank.training.schedule import learning_rate_scale
    >>> from gensim_wordrank.objective.losses import PairLoss
    >>> from gensim_wordrank.training.method import Method
    >>> scales = [learning_rate_scale(Method(), PairLoss.LOGISTIC, n) for n in (10_000, 32_000_000, 100_000_000)]
    >>> [round(scale, 6) for scale in scales]
    [7.0, 16.0, 20.0]
    """
    per_alpha = method.default_learning_rate(pair_loss) / DEFAULT_ALPHA
    if method.solver is not Solver.SAMPLED:
        return per_alpha
    return per_alpha * min(1.0, max(settings.min_learning_rate_scale, math.sqrt(n_pairs / settings.many_pairs)))

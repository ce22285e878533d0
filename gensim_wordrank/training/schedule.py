"""How an epoch is run: with which steps, and how sharply it looks at the top of the list."""

from __future__ import annotations

from typing import NamedTuple

# one of so many epochs is among the last
LAST = 5
# of the ranks, in the epochs before
SHARPNESS = 5.0


class SchedulePoint(NamedTuple):
    """What changes from epoch to epoch.

    Most epochs run with long steps, down a sharper loss: ranks are taken for `SHARPNESS` times as large, so that the
    loss is as with an alpha and a beta that are as many times smaller. In the last fifth of the epochs it is the loss
    itself, and steps become shorter. Long steps to the end leave noise in the vectors; short ones from the start learn
    less. A sharp loss teaches analogies, a blunt one similarity, and a few epochs of the latter do.

    Examples
    --------
    >>> from gensim_wordrank.training.schedule import SchedulePoint
    >>> for epoch in (0, 7, 8, 9):
    ...     print(SchedulePoint.of(epoch, epochs=10, alpha=0.5, min_alpha=0.0))
    SchedulePoint(step=0.5, sharpness=5.0)
    SchedulePoint(step=0.5, sharpness=5.0)
    SchedulePoint(step=0.375, sharpness=1.0)
    SchedulePoint(step=0.125, sharpness=1.0)
    >>> SchedulePoint.of(0, epochs=10, alpha=0.5, min_alpha=0.5)
    SchedulePoint(step=0.5, sharpness=1.0)
    """

    step: float
    sharpness: float = 1.0

    @classmethod
    def of(cls, epoch: int, epochs: int, alpha: float, min_alpha: float) -> SchedulePoint:
        """Return the pace of an epoch, with a rate of `alpha` that at last falls to `min_alpha`, or is constant."""
        last = epochs // LAST
        into = epoch - (epochs - last)
        if not last or alpha == min_alpha:
            return cls(alpha)
        if into < 0:
            return cls(alpha, SHARPNESS)
        return cls(alpha - (alpha - min_alpha) * (into + 0.5) / last)

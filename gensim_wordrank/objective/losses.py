"""The paper's four rank losses and two pair losses, by name and over arrays."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from gensim_wordrank import _losses
from gensim_wordrank.types import Floats


class RankLoss(str, Enum):
    """A rank loss rho: increasing and concave.

    Examples
    --------
    >>> from gensim_wordrank.objective.losses import RankLoss
    >>> RankLoss("log").value_at([0.0, 1.0, 3.0]).tolist()
    [0.0, 1.0, 2.0]
    """

    IDENTITY = "identity"  # rho_0(x) = x
    LOG = "log"  # rho_1(x) = log2(1 + x)
    DCG = "dcg"  # rho_2(x) = 1 - 1 / log2(2 + x)
    LOG_T = "log_t"  # rho_3(x) = (x^(1 - t) - 1) / (1 - t)

    def value_at(self, x: Any, t: float = 1.5) -> Floats:
        """Return rho(x)."""
        return _over_array(_losses.rank_loss, RANK_LOSS_CODES[self], t, False, x=x)

    def slope_at(self, x: Any, t: float = 1.5) -> Floats:
        """Return rho'(x)."""
        return _over_array(_losses.rank_loss, RANK_LOSS_CODES[self], t, True, x=x)


class PairLoss(str, Enum):
    """A convex bound l(x) of the step function I(x <= 0), for x = <u_w, v_c - v_c'>.

    Examples
    --------
    >>> from gensim_wordrank.objective.losses import PairLoss
    >>> PairLoss("hinge").value_at([-1.0, 0.0, 2.0]).tolist()
    [2.0, 1.0, 0.0]
    """

    HINGE = "hinge"  # max(0, 1 - x)
    LOGISTIC = "logistic"  # log2(1 + 2^-x)

    def value_at(self, x: Any) -> Floats:
        """Return l(x)."""
        return _over_array(_losses.pair_loss, PAIR_LOSS_CODES[self], False, x=x)

    def slope_at(self, x: Any) -> Floats:
        """Return l'(x)."""
        return _over_array(_losses.pair_loss, PAIR_LOSS_CODES[self], True, x=x)


# the numbers of the losses in the kernels
RANK_LOSS_CODES = {loss: number for number, loss in enumerate(RankLoss)}
PAIR_LOSS_CODES = {loss: number for number, loss in enumerate(PairLoss)}


def _over_array(kernel: Callable[..., None], *which: float, x: Any) -> Floats:
    """Apply a kernel that writes one number for each number of `x`."""
    values: Floats = np.ascontiguousarray(x, dtype=np.float64)
    out = np.empty_like(values)
    kernel(*which, values.ravel(), out.ravel())
    return out

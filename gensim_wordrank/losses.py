"""The paper's four rank losses and two pair losses, by name and over arrays."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _losses

Floats = NDArray[np.float64]


class RankLoss(str, Enum):
    """A loss rho of a rank: rising, concave.

    Examples
    --------
    >>> from gensim_wordrank.losses import RankLoss
    >>> RankLoss("log").value_at([0.0, 1.0, 3.0]).tolist()
    [0.0, 1.0, 2.0]
    """

    IDENTITY = "identity"  # rho_0(x) = x
    LOG = "log"  # rho_1(x) = log2(1 + x)
    DCG = "dcg"  # rho_2(x) = 1 - 1 / log2(2 + x)
    LOG_T = "log_t"  # rho_3(x) = (x^(1 - t) - 1) / (1 - t)

    @property
    def code(self) -> int:
        """The kernels' number for this loss."""
        return list(RankLoss).index(self)

    def value_at(self, x: Any, t: float = 1.5) -> Floats:
        """Return rho(x)."""
        x, out = _as_floats(x)
        _losses.rank_loss(self.code, t, x.ravel(), out.ravel())
        return out

    def slope_at(self, x: Any, t: float = 1.5) -> Floats:
        """Return rho'(x)."""
        x, out = _as_floats(x)
        _losses.rank_slope(self.code, t, x.ravel(), out.ravel())
        return out


class PairLoss(str, Enum):
    """A convex bound l(x) of the step function I(x <= 0), for x = <u_w, v_c - v_c'>.

    Examples
    --------
    >>> from gensim_wordrank.losses import PairLoss
    >>> PairLoss("hinge").value_at([-1.0, 0.0, 2.0]).tolist()
    [2.0, 1.0, 0.0]
    """

    HINGE = "hinge"  # max(0, 1 - x)
    LOGISTIC = "logistic"  # log2(1 + 2^-x)

    @property
    def code(self) -> int:
        """The kernels' number for this loss."""
        return list(PairLoss).index(self)

    def value_at(self, x: Any) -> Floats:
        """Return l(x)."""
        x, out = _as_floats(x)
        _losses.pair_loss(self.code, x.ravel(), out.ravel())
        return out

    def slope_at(self, x: Any) -> Floats:
        """Return l'(x)."""
        x, out = _as_floats(x)
        _losses.pair_slope(self.code, x.ravel(), out.ravel())
        return out


def _as_floats(x: Any) -> tuple[Floats, Floats]:
    """Return `x` as a contiguous float64 array, and an empty one of its shape."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    return x, np.empty_like(x)

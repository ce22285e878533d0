"""Types that several rooms share."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]
Ids = NDArray[np.int32]


class Solver(str, Enum):
    """How an epoch is run."""

    SAMPLED = "sampled"  # ranks estimated from sampled negatives, in blocks: the fast one
    TRIPLET = "triplet"  # Algorithm 1 as the paper prints it: the reference

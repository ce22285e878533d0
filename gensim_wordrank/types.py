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
    STORED = "stored"  # the same with the exact xi of every pair, as in the paper: Algorithms 1 and 2
    TRIPLET = "triplet"  # Algorithm 1 with one triplet at a time: the slow reference

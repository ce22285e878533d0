"""Array types that several rooms share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

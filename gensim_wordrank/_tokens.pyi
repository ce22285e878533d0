from typing import Any

import numpy as np
from numpy.typing import NDArray

def tokenize(text: Any) -> tuple[NDArray[np.int32], bytes]: ...

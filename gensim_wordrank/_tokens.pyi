from typing import Any

import numpy as np
from numpy.typing import NDArray

def tokenise(text: Any) -> tuple[NDArray[np.int32], bytes]: ...

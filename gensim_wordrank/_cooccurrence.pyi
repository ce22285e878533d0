from typing import Any

import numpy as np
from numpy.typing import NDArray

class CheckedText:
    n_words: int
    counts: NDArray[np.int64]
    def __init__(self, ids: NDArray[Any], n_words: int) -> None: ...

class Rows:
    n_rows: int
    n_words: int

class Windows(Rows):
    def __init__(self, text: CheckedText, first: int, last: int, weight: NDArray[Any], symmetric: bool) -> None: ...

class Runs(Rows):
    def __init__(self, starts: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any], n_words: int) -> None: ...

class Counter:
    def __init__(self, n_words: int) -> None: ...
    def lengths(self, rows: Rows, out: NDArray[Any]) -> None: ...
    def sums(self, rows: Rows, first: int, indptr: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any]) -> None: ...

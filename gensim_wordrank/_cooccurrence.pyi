from typing import Any

from numpy.typing import NDArray

def occurrences(ids: NDArray[Any], counts: NDArray[Any]) -> None: ...

class Rows:
    n_rows: int

class Windows(Rows):
    def __init__(
        self, ids: NDArray[Any], first: int, counts: NDArray[Any], weight: NDArray[Any], symmetric: bool
    ) -> None: ...

class Runs(Rows):
    def __init__(self, starts: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any], n_words: int) -> None: ...

class Counter:
    def __init__(self, n_words: int) -> None: ...
    def lengths(self, rows: Rows, out: NDArray[Any]) -> None: ...
    def sums(self, rows: Rows, first: int, indptr: NDArray[Any], columns: NDArray[Any], sums: NDArray[Any]) -> None: ...

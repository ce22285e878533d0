from typing import Any

from numpy.typing import NDArray

def index_positions(ids: NDArray[Any], starts: NDArray[Any], positions: NDArray[Any]) -> None: ...

class Counter:
    def __init__(
        self,
        ids: NDArray[Any],
        starts: NDArray[Any],
        positions: NDArray[Any],
        weight: NDArray[Any],
        symmetric: bool,
    ) -> None: ...
    def lengths(self, first: int, out: NDArray[Any]) -> None: ...
    def values(self, first: int, indptr: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> None: ...

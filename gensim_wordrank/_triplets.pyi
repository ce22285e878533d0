from typing import Any

from numpy.typing import NDArray

class TripletOptions:
    def __init__(
        self, *, rank_loss: int, pair_loss: int, t: float, rank_scale: float, rank_offset: float, l2: float,
        learning_rate: float,
    ) -> None: ...  # fmt: skip

def run_triplets(
    words: NDArray[Any], contexts: NDArray[Any], counts: tuple[NDArray[Any], NDArray[Any]], weights: NDArray[Any],
    xi: NDArray[Any], n_triplets: int, options: TripletOptions, seed: int,
) -> tuple[float, float]: ...  # fmt: skip

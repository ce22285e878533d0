from typing import Any

from numpy.typing import NDArray

def run_triplets(
    words: NDArray[Any],
    contexts: NDArray[Any],
    indptr: NDArray[Any],
    columns: NDArray[Any],
    weights: NDArray[Any],
    xi: NDArray[Any],
    n_triplets: int,
    rank_loss: int,
    pair_loss: int,
    t: float,
    rank_scale: float,
    rank_offset: float,
    l2: float,
    step: float,
    seed: int,
) -> float: ...

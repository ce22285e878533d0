from typing import Any

from numpy.typing import NDArray

LANES: int

def run_cell(
    words: NDArray[Any],
    word_past: NDArray[Any],
    walk: NDArray[Any],
    contexts: NDArray[Any],
    context_past: NDArray[Any],
    word_ids: NDArray[Any],
    indptr: NDArray[Any],
    columns: NDArray[Any],
    counts: NDArray[Any],
    block_of: NDArray[Any],
    row_of: NDArray[Any],
    block: int,
    vector_size: int,
    n_samples: int,
    draws: float,
    rank_loss: int,
    pair_loss: int,
    t: float,
    rank_scale: float,
    rank_offset: float,
    x_max: float,
    epsilon: float,
    l2: float,
    step: float,
    seed: int,
) -> float: ...

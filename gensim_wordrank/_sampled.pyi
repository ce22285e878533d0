from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES: int

def draw_pairs(
    pairs: NDArray[np.uint16],
    walk: NDArray[Any],
    word_ids: NDArray[Any],
    indptr: NDArray[Any],
    columns: NDArray[Any],
    counts: NDArray[Any],
    of_words: NDArray[Any],
    of_contexts: NDArray[Any],
    slot_of: NDArray[Any],
    row_of: NDArray[Any],
    n_slots: int,
    draws: float,
    x_max: float,
    epsilon: float,
) -> NDArray[np.int64]: ...
def drop_first(pairs: NDArray[np.uint16], starts: NDArray[np.int64], n_slots: int) -> NDArray[np.int64]: ...
def run_cell(
    words: NDArray[Any],
    word_accumulator: NDArray[Any],
    contexts: NDArray[Any],
    context_accumulator: NDArray[Any],
    copies: NDArray[np.uint16],
    pairs: NDArray[np.uint16],
    starts: NDArray[np.int64],
    n_slots: int,
    draws: float,
    n_contexts: int,
    vector_size: int,
    n_samples: int,
    rank_loss: int,
    pair_loss: int,
    t: float,
    rank_scale: float,
    rank_offset: float,
    sharpness: float,
    pull: float,
    l2: float,
    step: float,
    seed: int,
) -> float: ...

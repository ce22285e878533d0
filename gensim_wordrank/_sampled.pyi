from typing import Any

import numpy as np
from numpy.typing import NDArray

ROW_FLOATS: int

class EpochOptions:
    def __init__(
        self, *, draws_per_weight: float, x_max: float, epsilon: float, rank_loss: int, pair_loss: int, t: float,
        rank_scale: float, rank_offset: float, sharpness: float, gradient_scale: float, l2: float, learning_rate: float,
        bias: float, adagrad: bool, vector_size: int, n_contexts: int, n_negatives: int,
    ) -> None: ...  # fmt: skip
    @property
    def weight_scale(self) -> float: ...

def sample_pairs(
    pairs: NDArray[np.uint16], offsets: NDArray[Any], word_rows: NDArray[Any],
    counts: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], factors: tuple[NDArray[Any], NDArray[Any]],
    slots: tuple[NDArray[Any], NDArray[Any], int], options: EpochOptions, xi: NDArray[Any] | None = None,
    pair_xi: NDArray[np.float32] | None = None,
) -> NDArray[np.uint16]: ...  # fmt: skip
def sort_by_slot(
    pairs: NDArray[np.uint16], sizes: NDArray[np.uint16], sorted_pairs: NDArray[np.uint16],
    pair_xi: NDArray[np.float32] | None = None, sorted_xi: NDArray[np.float32] | None = None,
) -> None: ...  # fmt: skip
def run_cell(
    words: tuple[NDArray[Any], NDArray[Any]], contexts: tuple[NDArray[Any], NDArray[Any]],
    negative_weights: NDArray[np.uint16], pairs: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    options: EpochOptions, seed: int, pair_xi: NDArray[np.float32] | None = None,
) -> float: ...  # fmt: skip

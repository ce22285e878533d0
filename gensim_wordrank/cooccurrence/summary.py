"""What training must know of co-occurrence counts before the first epoch: small, wherever the counts are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank.types import Floats, Vectors

# counts that show how many pairs will be drawn per epoch
SAMPLE_SIZE = 100_000


@dataclass(frozen=True)
class CountSummary:
    """Sums and a sample of co-occurrence counts."""

    row_lengths: NDArray[np.int64]  # pairs per word
    word_sums: Floats
    context_sums: Floats
    sample: Vectors  # about SAMPLE_SIZE counts, evenly spread

    @property
    def n_pairs(self) -> int:
        """Number of pairs that occur."""
        return int(self.row_lengths.sum())

    @property
    def n_contexts(self) -> int:
        """Number of contexts."""
        return len(self.context_sums)

"""What chance alone would have counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank.cooccurrence import csr
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.types import Vectors

LARGEST = np.finfo(np.float32).max


@dataclass(frozen=True)
class ExpectedCounts:
    """The counts that words and contexts would have if they met at random, as often as they are counted in all.

    E(w, c) = X_w X_c / N, where X_w and X_c are the sums of a row and of a column, and N is that of all.

    Examples
    --------
    >>> from gensim_wordrank.objective.expected_counts import ExpectedCounts
    >>> from gensim_wordrank.cooccurrence.matrix import Cooccurrence
    >>> pairs = Cooccurrence.from_matrix([[0, 3], [3, 6]])
    >>> ExpectedCounts.of(*pairs.marginals(), share=1).excess(pairs, slice(None))
    array([0.75, 0.75, 0.  ], dtype=float32)
    """

    words: Vectors  # X_w
    contexts: Vectors  # X_c times the share that counts, over N

    @classmethod
    def of(cls, word_sums: NDArray[np.float64], context_sums: NDArray[np.float64], share: float) -> ExpectedCounts:
        """Make it of the sums of rows and columns; `share` times E is taken for chance."""
        of_contexts = context_sums * (share / (float(context_sums.sum()) or 1.0))
        return cls(*(np.minimum(each, LARGEST).astype(np.float32) for each in (word_sums, of_contexts)))

    def excess(self, counts: Cooccurrence, pairs: slice) -> Vectors:
        """Return by how much some pairs were counted more often than chance would have it, or 0."""
        start, stop, _ = pairs.indices(counts.nnz)
        of_words = self.words[csr.entry_rows(counts.indptr, start, stop)]
        by_chance = of_words * self.contexts[counts.indices[start:stop]]
        result: Vectors = np.fmax(counts.data[start:stop] - by_chance, np.float32(0))
        return result

"""Words or contexts as the kernel of the fast solver wants them: block after block, with their bias, padded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled
from gensim_wordrank.memory import lazy_array
from gensim_wordrank.ranks import Vectors

# rows that are copied at a time
ROWS_AT_ONCE = 4096


@dataclass
class Block:
    """Rows of vectors, each followed by its bias and by zeros, and their sums of squared gradients."""

    vectors: Vectors
    past: Vectors

    @classmethod
    def padded(cls, values: Vectors, past: Vectors) -> Block:
        """Add the zeros to rows that end with their bias."""
        vectors = _room(len(values), values.shape[1] - 1)
        vectors[:, : values.shape[1]] = values
        return cls(vectors, past.copy())

    def bare(self, size: int) -> tuple[Vectors, Vectors]:
        """Return the rows without the zeros, as arrays of their own, and their past."""
        return self.vectors[:, : size + 1].copy(), self.past.copy()

    def is_finite(self) -> bool:
        """Say whether every number is one, as :meth:`State.is_finite` does for all rows."""
        return bool(np.isfinite(self.vectors).all() and np.isfinite(self.past).all())

    def part(self, start: int, end: int) -> Block:
        """Return some of the rows, shared."""
        return Block(self.vectors[start:end], self.past[start:end])


@dataclass
class Rows:
    """All words or all contexts, block after block."""

    packed: Block
    order: NDArray[np.integer]
    edges: NDArray[np.int64]

    @classmethod
    def pack(
        cls, vectors: Vectors, bias: Vectors, past: Vectors, order: NDArray[np.integer], edges: NDArray[np.int64]
    ) -> Rows:
        """Put the rows into the given order."""
        n, size = vectors.shape
        packed = _room(n, size)
        _copy_rows(vectors, order, packed[:, :size])
        packed[:, size] = bias[order]
        return cls(Block(packed, past[order]), order, edges)

    def blocks(self) -> list[Block]:
        """Return the blocks; they share the memory of the whole."""
        return [self.packed.part(start, end) for start, end in zip(self.edges[:-1], self.edges[1:], strict=True)]

    def unpack(self, size: int) -> tuple[Vectors, Vectors, Vectors]:
        """Return vectors, bias and past in their own order; the packed rows are given up."""
        back = np.empty_like(self.order)
        back[self.order] = np.arange(len(back))
        vectors = lazy_array(len(back) * size, np.float32).reshape(len(back), size)
        _copy_rows(self.packed.vectors[:, :size], back, vectors)
        result = vectors, self.packed.vectors[back, size], self.packed.past[back]
        self.packed = Block(np.empty(0, np.float32), np.empty(0, np.float32))
        return result


def _room(n: int, size: int) -> Vectors:
    """Return zeros for `n` vectors of a size, with a bias each, of a length that fills whole registers."""
    stride = -(-(size + 1) // _sampled.LANES) * _sampled.LANES
    return lazy_array(n * stride, np.float32).reshape(n, stride)


def _copy_rows(source: Vectors, order: NDArray[np.integer], target: Vectors) -> None:
    """Copy rows in a given order, without a second copy of all on the way."""
    for start in range(0, len(order), ROWS_AT_ONCE):
        target[start : start + ROWS_AT_ONCE] = source[order[start : start + ROWS_AT_ONCE]]

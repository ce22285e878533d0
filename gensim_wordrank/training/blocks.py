"""Words or contexts in the layout of the sampled kernel: block after block, each row with its bias, padded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled
from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank._utils.system import discard_pages
from gensim_wordrank.training.state import is_finite
from gensim_wordrank.types import Vectors

# rows that are copied at a time, few enough for the copy to stay in the cache
ROWS_PER_COPY = 512


@dataclass
class Block:
    """Rows of vectors, each followed by its bias and zero padding, and their AdaGrad accumulators."""

    vectors: Vectors
    accumulator: Vectors

    @classmethod
    def padded(cls, values: Vectors, accumulator: Vectors) -> Block:
        """Pad rows that end with their bias."""
        vectors = _zeros(len(values), values.shape[1] - 1)
        vectors[:, : values.shape[1]] = values
        return cls(vectors, accumulator.copy())

    def unpadded(self, size: int) -> tuple[Vectors, Vectors]:
        """Return copies of the rows without padding and of the accumulators."""
        return self.vectors[:, : size + 1].copy(), self.accumulator.copy()

    def is_finite(self) -> bool:
        """Return True if all entries are finite."""
        return is_finite(self.vectors) and is_finite(self.accumulator)

    def part(self, start: int, end: int) -> Block:
        """Return a view of some of the rows."""
        return Block(self.vectors[start:end], self.accumulator[start:end])


class BlockedRows:
    """All words or all contexts: unchanged from before an epoch, in blocks while it runs, and as new arrays after it.

    Blocks share nothing, so several threads may pack and sort them. Unpacking rows in the order of the new arrays
    releases the memory of the blocks as it goes: both never exist whole at the same time.

    Parameters
    ----------
    vectors, bias, accumulator
        The rows before the epoch, which are not changed.
    members : sequence of arrays
        The rows of each block.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.blocks import BlockedRows
    >>> ones = np.ones(3, np.float32)
    >>> rows = BlockedRows(np.zeros((3, 2), np.float32), ones, ones, [np.array([2, 0])])
    >>> rows.pack(0)
    >>> rows.blocks[0].vectors[:, 0] = [7, 5]
    >>> rows.sort(0)
    >>> rows.unpack(0, 3)
    >>> rows.new[0].tolist()
    [[5.0, 0.0], [0.0, 0.0], [7.0, 0.0]]
    """

    def __init__(
        self, vectors: Vectors, bias: Vectors, accumulator: Vectors, members: Sequence[NDArray[np.integer]]
    ) -> None:
        self.old, self.members = (vectors, bias, accumulator), list(members)
        n, size = vectors.shape
        new = anonymous_array(n * size, np.float32).reshape(n, size)
        self.new = new, np.empty_like(bias), np.empty_like(accumulator)
        nothing = np.empty(0, np.float32)
        self.blocks = [Block(nothing.reshape(0, 0), nothing)] * len(self.members)

    def pack(self, i: int) -> None:
        """Build a block from the rows before the epoch."""
        (vectors, bias, accumulator), rows = self.old, self.members[i]
        size = vectors.shape[1]
        packed = _zeros(len(rows), size)
        for start in range(0, len(rows), ROWS_PER_COPY):
            some = slice(start, start + ROWS_PER_COPY)
            packed[some, :size] = np.take(vectors, rows[some], axis=0)  # without the GIL, unlike an index
        packed[:, size] = bias[rows]
        self.blocks[i] = Block(packed, accumulator[rows])

    def sort(self, i: int) -> None:
        """Put a trained block into the order of its rows."""
        rows, packed = self.members[i], self.blocks[i]
        if (rows[1:] >= rows[:-1]).all():
            return
        order = np.argsort(rows)
        vectors = anonymous_array(packed.vectors.size, np.float32).reshape(packed.vectors.shape)
        np.take(packed.vectors, order, axis=0, out=vectors, mode="clip")  # other modes copy `out`
        self.members[i], self.blocks[i] = rows[order], Block(vectors, packed.accumulator[order])

    def unpack(self, start: int, end: int) -> None:
        """Move the rows from `start` to `end`, whatever their blocks, to the new arrays, when all blocks are sorted."""
        vectors, bias, accumulator = self.new
        size = vectors.shape[1]
        for members, packed in zip(self.members, self.blocks, strict=True):
            first, last = np.searchsorted(members, (start, end))
            for begin in range(first, last, ROWS_PER_COPY):
                some = slice(begin, min(begin + ROWS_PER_COPY, last))
                rows, trained = members[some], packed.vectors[some]
                vectors[rows], bias[rows], accumulator[rows] = (
                    trained[:, :size],
                    trained[:, size],
                    packed.accumulator[some],
                )
            discard_pages(packed.vectors[first:last])


def _zeros(n: int, size: int) -> Vectors:
    """Return zeros for `n` vectors with a bias each, padded to whole vector registers."""
    stride = -(-(size + 1) // _sampled.ROW_FLOATS) * _sampled.ROW_FLOATS
    return anonymous_array(n * stride, np.float32).reshape(n, stride)

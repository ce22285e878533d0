"""Words or contexts as the kernel of the fast solver wants them: block after block, with their bias, padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank import _sampled
from gensim_wordrank._utils.memory import anonymous_array, discard_pages
from gensim_wordrank.training.state import is_finite
from gensim_wordrank.types import Vectors

# rows that are copied at a time
ROWS_AT_ONCE = 512


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
        return is_finite(self.vectors) and is_finite(self.past)

    def part(self, start: int, end: int) -> Block:
        """Return some of the rows, shared."""
        return Block(self.vectors[start:end], self.past[start:end])


class Rows:
    """All words or all contexts: as they were before an epoch, in blocks while it runs, and as they are after it.

    Blocks share nothing, so several threads may pack and sort them. Rows that are unpacked, in the order of the new
    ones, give the memory back that these take: there is never room for both.

    Parameters
    ----------
    vectors, bias, past
        The rows before the epoch, which stay as they are.
    members : sequence of arrays
        The rows of each block.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.training.blocks import Rows
    >>> rows = Rows(np.zeros((3, 2), np.float32), np.ones(3, np.float32), np.ones(3, np.float32), [np.array([2, 0])])
    >>> rows.pack(0)
    >>> rows.blocks[0].vectors[:, 0] = [7, 5]
    >>> rows.sort(0)
    >>> rows.unpack(0, 3)
    >>> rows.new[0].tolist()
    [[5.0, 0.0], [0.0, 0.0], [7.0, 0.0]]
    """

    def __init__(self, vectors: Vectors, bias: Vectors, past: Vectors, members: Sequence[NDArray[np.integer]]) -> None:
        self.old, self.members = (vectors, bias, past), list(members)
        n, size = vectors.shape
        self.new = anonymous_array(n * size, np.float32).reshape(n, size), np.empty_like(bias), np.empty_like(past)
        self.blocks = [_nothing() for _ in members]

    def pack(self, i: int) -> None:
        """Make a block of rows as they were."""
        (vectors, bias, past), rows = self.old, self.members[i]
        size = vectors.shape[1]
        packed = _room(len(rows), size)
        for some in _pieces(0, len(rows)):
            packed[some, :size] = vectors[rows[some]]
        packed[:, size] = bias[rows]
        self.blocks[i] = Block(packed, past[rows])

    def sort(self, i: int) -> None:
        """Put a block into the order of its rows, when it is trained."""
        rows, packed = self.members[i], self.blocks[i]
        if (rows[1:] >= rows[:-1]).all():
            return
        order = np.argsort(rows)
        vectors = anonymous_array(packed.vectors.size, np.float32).reshape(packed.vectors.shape)
        np.take(packed.vectors, order, axis=0, out=vectors, mode="clip")  # others take a copy of `out`
        self.members[i], self.blocks[i] = rows[order], Block(vectors, packed.past[order])

    def unpack(self, start: int, end: int) -> None:
        """Put some rows, of whatever blocks, among those after the epoch, when all blocks are sorted."""
        vectors, bias, past = self.new
        size = vectors.shape[1]
        for members, packed in zip(self.members, self.blocks, strict=True):
            first, last = np.searchsorted(members, (start, end))
            for some in _pieces(first, last):
                rows, block = members[some], packed.part(some.start, some.stop)
                vectors[rows], bias[rows], past[rows] = block.vectors[:, :size], block.vectors[:, size], block.past
            discard_pages(packed.vectors[first:last])


def _nothing() -> Block:
    """Return a block without rows."""
    return Block(np.empty((0, 0), np.float32), np.empty(0, np.float32))


def _room(n: int, size: int) -> Vectors:
    """Return zeros for `n` vectors of a size, with a bias each, of a length that fills whole registers."""
    stride = -(-(size + 1) // _sampled.LANES) * _sampled.LANES
    return anonymous_array(n * stride, np.float32).reshape(n, stride)


def _pieces(start: int, end: int) -> Iterator[slice]:
    """Yield a few rows after the other: so few that a copy of them stays in the cache."""
    for first in range(start, end, ROWS_AT_ONCE):
        yield slice(first, min(first + ROWS_AT_ONCE, end))

"""Rows packed into blocks for the sampled kernel."""

import numpy as np
import pytest
from gensim_wordrank import _sampled
from gensim_wordrank._utils import memory
from gensim_wordrank.training.blocks import BlockedRows


@pytest.mark.parametrize(("n", "size"), [(7, 3), (1300, 16), (40, 1)])
def test_pack_and_unpack(n, size):
    """Blocks hold vectors, bias and zero padding up to whole registers; unpacking restores all rows."""
    random = np.random.default_rng(n)
    vectors, bias, accumulator = (random.random(shape, np.float32) for shape in ((n, size), n, n))
    rows = BlockedRows(vectors, bias, accumulator, np.array_split(random.permutation(n), 3))
    for i, members in enumerate(rows.members):
        rows.pack(i)
        packed = rows.blocks[i].vectors
        np.testing.assert_array_equal(packed[:, : size + 1], np.column_stack([vectors, bias])[members])
        assert packed.shape[1] % _sampled.ROW_FLOATS == 0
        assert not packed[:, size + 1 :].any()
        packed += 1
        rows.blocks[i].accumulator[:] *= 2
    for i in (2, 0, 1):
        rows.sort(i)
    for start, end in ((n // 2, n), (0, n // 3), (n // 3, n // 2)):
        rows.unpack(start, end)
    for new, old in zip(rows.new, (vectors + 1, bias + 1, accumulator * 2), strict=True):
        np.testing.assert_array_equal(new, old)


def test_unpacking_frees_blocks():
    """Blocks are freed while rows are unpacked, so that memory for both is never needed."""
    n, size, random = 100_000, 127, np.random.default_rng(1)
    bias, accumulator = np.ones((2, n), np.float32)
    rows = BlockedRows(np.ones((n, size), np.float32), bias, accumulator, np.array_split(random.permutation(n), 8))
    before, matrix = memory.resident_bytes(), 4 * n * size
    for i in range(8):
        rows.pack(i)
    assert 0.9 * matrix < memory.resident_bytes() - before < 1.2 * matrix
    for i in range(8):
        rows.sort(i)
        assert memory.resident_bytes() - before < 1.2 * matrix
    for i in range(8):
        rows.unpack(n * i // 8, n * (i + 1) // 8)
        assert memory.resident_bytes() - before < 1.2 * matrix
    assert rows.new[0].all()

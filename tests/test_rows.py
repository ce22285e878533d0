"""Rows in blocks, as the fast solver wants them."""

import numpy as np
import pytest
from gensim_wordrank import _sampled, memory
from gensim_wordrank.rows import Rows


@pytest.mark.parametrize(("n", "size"), [(7, 3), (1300, 16), (40, 1)])
def test_what_is_packed_comes_back_in_its_place(n, size):
    """Blocks hold the rows asked for, with their bias behind them and zeros up to a whole register; all come back."""
    random = np.random.default_rng(n)
    vectors, bias, past = (random.random(shape, np.float32) for shape in ((n, size), n, n))
    rows = Rows(vectors, bias, past, np.array_split(random.permutation(n), 3))
    for i, members in enumerate(rows.members):
        rows.pack(i)
        packed = rows.blocks[i].vectors
        np.testing.assert_array_equal(packed[:, : size + 1], np.column_stack([vectors, bias])[members])
        assert packed.shape[1] % _sampled.LANES == 0
        assert not packed[:, size + 1 :].any()
        packed += 1
        rows.blocks[i].past[:] *= 2
    for i in (2, 0, 1):
        rows.unpack(i)
    for new, old in zip(rows.new, (vectors + 1, bias + 1, past * 2), strict=True):
        np.testing.assert_array_equal(new, old)


def test_a_block_that_is_unpacked_takes_no_memory():
    """Before packing and after unpacking, rows take no more than the new ones."""
    n, size = 100_000, 127
    rows = Rows(np.ones((n, size), np.float32), np.ones(n, np.float32), np.ones(n, np.float32), [np.arange(n)])
    before = memory.taken()
    rows.pack(0)
    assert memory.taken() - before > 0.9 * 4 * n * size
    rows.unpack(0)
    assert memory.taken() - before < 1.2 * 4 * n * size

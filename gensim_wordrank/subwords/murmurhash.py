"""MurmurHash3, the hash of floret, for many strings at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

# constants of the 128-bit hash for 64-bit machines
C1, C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
FINAL = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
# bytes that are hashed at a time
BLOCK = 16


def murmurhash(strings: Sequence[bytes], seed: int) -> NDArray[np.uint32]:
    """Return the 128-bit hash of each string as four numbers of 32 bits, in floret's order.

    Examples
    --------
    >>> from gensim_wordrank.subwords.murmurhash import murmurhash
    >>> murmurhash([b"<ab"], seed=2166136261).tolist()
    [[2388124845, 225199975, 1090556499, 127454521]]
    """
    result = np.empty((len(strings), 2), "<u8")
    n_blocks = np.array([len(string) // BLOCK for string in strings], np.int64)
    for n in np.unique(n_blocks):
        chosen = np.flatnonzero(n_blocks == n)
        result[chosen] = _hash_blocks([strings[i] for i in chosen.tolist()], int(n), seed)
    return result.view("<u4").astype(np.uint32)


def _hash_blocks(strings: list[bytes], n_blocks: int, seed: int) -> Hashes:
    """Hash strings that all have `n_blocks` whole blocks and a shorter one, which may be empty."""
    lengths = np.array(list(map(len, strings)), np.uint64)
    # zeros fill the last block and do not change the hash
    halves = np.array(strings, f"S{BLOCK * (n_blocks + 1)}").view("<u8").reshape(len(strings), -1).astype(np.uint64)
    h1 = h2 = np.full(len(strings), seed, np.uint64)
    for block in range(n_blocks + 1):
        h1 = h1 ^ _rotate(halves[:, 2 * block] * C1, 31) * C2
        if block < n_blocks:
            h1 = (_rotate(h1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
        h2 = h2 ^ _rotate(halves[:, 2 * block + 1] * C2, 33) * C1
        if block < n_blocks:
            h2 = (_rotate(h2, 31) + h1) * np.uint64(5) + np.uint64(0x38495AB5)
    h1, h2 = h1 ^ lengths, h2 ^ lengths
    h1 = h1 + h2
    h1, h2 = _finish(h1), _finish(h2 + h1)
    h1 = h1 + h2
    return np.stack([h1, h2 + h1], axis=1)


def _rotate(values: Hashes, bits: int) -> Hashes:
    return values << np.uint64(bits) | values >> np.uint64(64 - bits)


def _finish(values: Hashes) -> Hashes:
    """Mix the bits of each value."""
    for factor in FINAL:
        values = (values ^ values >> np.uint64(33)) * factor
    return values ^ values >> np.uint64(33)

"""Character n-grams of words, hashed as in fastText."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Hashes = NDArray[np.uint32]

# fastText's lengths, so that its file formats can hold our vectors
MIN_N, MAX_N = 3, 6
# constants of the 32-bit FNV-1a hash
FNV_OFFSET, FNV_PRIME = 2166136261, 16777619


def hash_ngrams(words: Sequence[str]) -> Iterator[tuple[NDArray[np.int32], Hashes, NDArray[np.bool_]]]:
    """Yield, for each length, the word index and the hash of every n-gram, and whether a word begins with it.

    n-grams are those of the word between "<" and ">". Lengths are in code points; hashes are of the UTF-8 bytes.

    Examples
    --------
    >>> from gensim.models.fasttext_inner import ft_hash_bytes
    >>> from gensim_wordrank.subwords.ngrams import hash_ngrams
    >>> owners, hashes, is_prefix = next(hash_ngrams(["bär", "a"]))
    >>> owners.tolist(), is_prefix.tolist()
    ([0, 0, 0, 1], [True, False, False, True])
    >>> hashes.tolist() == [ft_hash_bytes(ngram.encode()) for ngram in ("<bä", "bär", "är>", "<a>")]
    True
    """
    encoded = [f"<{word}>".encode("utf-8", "surrogatepass") for word in words]
    text = np.frombuffer(b"".join(encoded), np.uint8)
    ends = np.cumsum(list(map(len, encoded)), dtype=np.int64)
    first_bytes = np.flatnonzero((text & 0xC0) != 0x80).astype(np.int32)  # of the characters
    widths = np.diff(np.append(first_bytes, np.int32(len(text))))
    owners = np.searchsorted(ends, first_bytes, side="right").astype(np.int32)
    stops = np.searchsorted(first_bytes, ends).astype(np.int32)[owners]  # where each character's word ends
    is_first = np.append(True, owners[1:] != owners[:-1])
    signed = text.view(np.int8).astype(np.int32).view(np.uint32)  # fastText extends the sign of each byte
    start, hashes = np.arange(len(first_bytes), dtype=np.int32), np.full(len(first_bytes), FNV_OFFSET, np.uint32)
    for n in range(1, MAX_N + 1):
        fits = start + n <= stops[start]
        start, hashes = start[fits], hashes[fits]
        last = start + np.int32(n - 1)
        for i in range(int(widths.max(initial=1))):
            has_byte = widths[last] > i
            byte = signed[first_bytes[last[has_byte]] + i]
            hashes[has_byte] = (hashes[has_byte] ^ byte) * np.uint32(FNV_PRIME)
        if n >= MIN_N:
            yield owners[start], hashes.copy(), is_first[start]


def shared_ngrams(words: Sequence[str]) -> Hashes:
    """Return the sorted hashes of the n-grams that at least two words share; those of one word say nothing of others.

    Examples
    --------
    >>> from gensim_wordrank.subwords.ngrams import shared_ngrams
    >>> len(shared_ngrams(["cats", "dogs", "cat"]))  # "<ca", "cat" and "<cat"
    3
    """
    found = [np.empty(0, np.uint32)]
    for owners, hashes, _ in hash_ngrams(words):
        # a word counts once, however often it has an n-gram; np.unique would take more memory than sorting
        pairs = np.sort(owners.astype(np.uint64) << np.uint64(32) | hashes)
        hashes = np.sort(pairs[np.diff(pairs, prepend=~pairs[:1]) != 0].astype(np.uint32))
        found.append(np.unique(hashes[1:][hashes[1:] == hashes[:-1]]))
    return np.unique(np.concatenate(found))


def ngram_matrix(words: Sequence[str], keys: Hashes) -> Any:
    """Return a CSR matrix that counts how often each word has the n-grams with the hashes `keys`."""
    rows, columns = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for owners, hashes, _ in hash_ngrams(words) if len(keys) else ():
        found = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1).astype(np.int32)
        is_known = keys[found] == hashes
        rows.append(owners[is_known])
        columns.append(found[is_known])
    ones = np.ones(sum(map(len, rows)), np.float32)
    return csr_matrix((ones, (np.concatenate(rows), np.concatenate(columns))), shape=(len(words), len(keys)))

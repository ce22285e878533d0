"""Tokenizing a text into word ids."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import secrets

import numpy as np

from gensim_wordrank._utils.memory import anonymous_array

cdef extern from "wr_tokens.h" nogil:
    ctypedef struct wr_word:
        int32_t start, length

    ctypedef struct wr_vocab:
        const uint8_t *text
        uint64_t key[2]
        wr_word *words
        int32_t *slots
        int64_t n_words, capacity

    int64_t wr_tokenize(wr_vocab *vocab, int64_t length, int32_t *ids)


# drawn once per process: nobody can choose words that collide without knowing it
cdef uint64_t HASH_KEY[2]
HASH_KEY[0], HASH_KEY[1] = secrets.randbits(60), 1 + secrets.randbelow(2 ** 61 - 2)


def tokenize(const uint8_t[::1] text):
    """Split a UTF-8 text as str.split() does.

    Return (ids, words): one id per word and -1 per line feed; the distinct words in order of first appearance,
    joined by line feeds.
    """
    cdef wr_vocab vocab
    cdef int64_t i, n, size = 0
    cdef char *out
    if text.shape[0] >= 2 ** 31:
        raise ValueError("the text must be shorter than 2^31 bytes")
    memset(&vocab, 0, sizeof(vocab))
    vocab.key = HASH_KEY
    cdef int32_t[::1] ids = anonymous_array(text.shape[0] + 1, np.int32)
    if text.shape[0]:
        vocab.text = &text[0]
    try:
        with nogil:
            n = wr_tokenize(&vocab, text.shape[0], &ids[0])
        if n < 0:
            raise MemoryError("not enough memory for the words of a text")
        for i in range(vocab.n_words):
            size += vocab.words[i].length + 1
        words = PyBytes_FromStringAndSize(NULL, max(size - 1, 0))
        out = PyBytes_AS_STRING(words)
        for i in range(vocab.n_words):
            if i:
                out[0] = b"\n"
                out += 1
            memcpy(out, vocab.text + vocab.words[i].start, vocab.words[i].length)
            out += vocab.words[i].length
    finally:
        free(vocab.words)
        free(vocab.slots)
    used = anonymous_array(n, np.int32)
    used[:] = ids[:n]
    return used, words

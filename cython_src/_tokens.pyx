"""Splitting a text into words and numbering them."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

import numpy as np

from gensim_wordrank._utils.memory import anonymous_array

cdef extern from "wr_tokens.h" nogil:
    ctypedef struct wr_word:
        int32_t start
        int32_t length
        uint64_t hash

    ctypedef struct wr_words:
        const uint8_t *text
        wr_word *words
        int32_t *slots
        int64_t n_words
        int64_t room

    int64_t wr_tokenise(wr_words *words, int64_t length, int32_t *ids)


def tokenise(const uint8_t[::1] text):
    """Split a text of UTF-8 as str.split() does.

    Return (ids, words): a number a word and -1 a line feed; the different words in order of first appearance,
    joined by line feeds.
    """
    cdef wr_words table
    cdef int64_t i, n, size = 0
    cdef char *out
    if text.shape[0] >= 2 ** 31:
        raise ValueError("a text of 2^31 bytes or more has to be cut")
    cdef int32_t[::1] ids = anonymous_array(text.shape[0] + 1, np.int32)
    table.text, table.words, table.slots, table.n_words, table.room = NULL, NULL, NULL, 0, 0
    if text.shape[0]:
        table.text = &text[0]
    try:
        with nogil:
            n = wr_tokenise(&table, text.shape[0], &ids[0])
        if n < 0:
            raise MemoryError("no memory for the words of a text")
        for i in range(table.n_words):
            size += table.words[i].length + 1
        words = PyBytes_FromStringAndSize(NULL, max(size - 1, 0))
        out = PyBytes_AS_STRING(words)
        for i in range(table.n_words):
            if i:
                out[0] = b"\n"
                out += 1
            memcpy(out, table.text + table.words[i].start, table.words[i].length)
            out += table.words[i].length
    finally:
        free(table.words)
        free(table.slots)
    numbers = anonymous_array(n, np.int32)
    numbers[:] = ids[:n]
    return numbers, words

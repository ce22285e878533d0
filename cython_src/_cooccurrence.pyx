"""Co-occurrence counts of a text, a row of the matrix at a time."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

import numpy as np

cdef extern from "wr_cooccurrence.h" nogil:
    ctypedef struct wr_counter:
        const int32_t *ids
        int64_t window
        int symmetric
        const double *weight
        uint64_t *seen
        double *sum
        int64_t n_masks

    int64_t wr_row_length(wr_counter *counter, const uint32_t *positions, int64_t n_positions)
    void wr_row_values(
        wr_counter *counter, const uint32_t *positions, int64_t n_positions, int32_t *columns, float *values)


def index_positions(
    const int32_t[::1] ids,             # the text: sentences of word ids, -1 in front of and behind each
    int64_t[::1] starts,                # OUT  [n_words + 1] where the positions of each word begin
    uint32_t[::1] positions,            # OUT  [number of words in the text] sorted by word, then by place
):
    """Index the places of every word in the text (a counting sort)."""
    cdef int64_t n_words = starts.shape[0] - 1, n_places = 0, i
    cdef int32_t w
    if ids.shape[0] == 0 or ids[0] != -1 or ids[ids.shape[0] - 1] != -1:
        raise ValueError("the text must begin and end with -1")
    if ids.shape[0] > 2 ** 32:
        raise ValueError("the text is longer than 2^32 words; count it in parts and add them up")
    with nogil:
        starts[:] = 0
        for i in range(ids.shape[0]):
            w = ids[i]
            if w >= n_words or w < -1:
                with gil:
                    raise ValueError(f"word id {w} lies outside the vocabulary of {n_words}")
            if w >= 0:
                starts[w + 1] += 1
                n_places += 1
    if positions.shape[0] != n_places:
        raise ValueError("positions must have an entry a word of the text")
    with nogil:
        for i in range(n_words):
            starts[i + 1] += starts[i]
        for i in range(ids.shape[0]):  # leaves starts[w] at the end of w, which is the start of w + 1
            if ids[i] >= 0:
                positions[starts[ids[i]]] = <uint32_t> i
                starts[ids[i]] += 1
        for i in range(n_words, 0, -1):
            starts[i] = starts[i - 1]
        starts[0] = 0


cdef class Counter:
    """Scratch memory of one thread for counting rows of one text."""

    cdef wr_counter c
    cdef const int32_t[::1] ids
    cdef const int64_t[::1] starts
    cdef const uint32_t[::1] positions
    cdef const double[::1] weight
    cdef uint64_t[::1] seen
    cdef double[::1] sum

    def __init__(
        self, const int32_t[::1] ids, const int64_t[::1] starts, const uint32_t[::1] positions,
        const double[::1] weight, bint symmetric,
    ):
        n_words = starts.shape[0] - 1
        self.ids, self.starts, self.positions, self.weight = ids, starts, positions, weight
        self.seen = np.zeros(n_words // 64 + 1, np.uint64)
        self.sum = np.zeros(n_words + 1, np.float64)
        self.c.ids, self.c.weight = &ids[0], &weight[0]
        self.c.window, self.c.symmetric = weight.shape[0] - 1, symmetric
        self.c.seen, self.c.sum, self.c.n_masks = &self.seen[0], &self.sum[0], self.seen.shape[0]

    def lengths(self, int64_t first, int64_t[::1] out):
        """Write the number of different contexts of the words first, first + 1, ... into `out`."""
        cdef int64_t i, a, b
        if first < 0 or first + out.shape[0] > self.starts.shape[0] - 1:
            raise ValueError("rows lie outside the vocabulary")
        with nogil:
            for i in range(out.shape[0]):
                a, b = self.starts[first + i], self.starts[first + i + 1]
                out[i] = wr_row_length(&self.c, &self.positions[0] + a, b - a)

    def values(self, int64_t first, const int64_t[::1] indptr, int32_t[::1] columns, float[::1] values):
        """Write rows first, first + 1, ... to columns[indptr[i]:] and values[indptr[i]:], columns rising."""
        cdef int64_t i, a, b
        if first < 0 or first + indptr.shape[0] > self.starts.shape[0]:
            raise ValueError("rows lie outside the vocabulary")
        if indptr[indptr.shape[0] - 1] > columns.shape[0] or columns.shape[0] != values.shape[0]:
            raise ValueError("columns and values are too short for indptr")
        with nogil:
            for i in range(indptr.shape[0] - 1):
                if indptr[i + 1] > indptr[i]:
                    a, b = self.starts[first + i], self.starts[first + i + 1]
                    wr_row_values(
                        &self.c, &self.positions[0] + a, b - a, &columns[indptr[i]], &values[indptr[i]])

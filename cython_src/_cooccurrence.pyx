"""Co-occurrence counts, a row of the matrix at a time."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from gensim_wordrank._utils.memory import anonymous_array

cdef extern from "wr_cooccurrence.h" nogil:
    const int WR_AHEAD

    ctypedef struct wr_row:
        uint8_t *seen
        uint64_t *sum
        int64_t n_masks

    ctypedef struct wr_windows:
        const int32_t *ids
        const int64_t *starts
        const int64_t *positions
        const uint64_t *weight
        int64_t window
        int symmetric

    ctypedef struct wr_runs:
        int64_t n_runs
        const int64_t *starts
        int64_t stride
        const int32_t *columns
        const uint64_t *sums

    ctypedef struct wr_source:
        const wr_windows *windows
        const wr_runs *runs

    int64_t wr_places(
        const int32_t *ids, int64_t length, uint32_t first, uint32_t n, int64_t *places)
    int wr_rises(const int64_t *indptr, int64_t n)
    void wr_lengths(wr_row *row, const wr_source *source, int64_t n_rows, int64_t *lengths)
    int wr_sums(
        wr_row *row, const wr_source *source, int64_t first, int64_t n_rows, const int64_t *indptr, int32_t *columns,
        uint64_t *sums)


cdef class CheckedText:
    """A text that can be walked safely: sentences of word ids below `n_words`, -1 in front of and behind each.

    `counts` tells how often every word occurs.
    """

    cdef const int32_t[::1] ids
    cdef readonly int64_t n_words
    cdef readonly object counts

    def __init__(self, const int32_t[::1] ids, int64_t n_words):
        cdef int64_t i
        cdef int32_t w = 0
        cdef bint outside = False
        if ids.shape[0] == 0 or ids[0] != -1 or ids[ids.shape[0] - 1] != -1:
            raise ValueError("the text must begin and end with -1")
        self.ids, self.n_words, self.counts = ids, n_words, np.zeros(n_words, np.int64)
        cdef int64_t[::1] counts = self.counts
        with nogil:
            for i in range(ids.shape[0]):
                w = ids[i]
                if w >= n_words or w < -1:
                    outside = True
                    break
                if w >= 0:
                    counts[w] += 1
        if outside:
            raise ValueError(f"word id {w} lies outside the vocabulary of {n_words}")


cdef class Rows:
    """What rows are made from: windows of a text, or runs."""

    cdef wr_source source
    cdef readonly int64_t n_rows
    cdef readonly int64_t n_words       # columns are below this


cdef class Windows(Rows):
    """Rows from the windows around the words first to last - 1 of a text."""

    cdef wr_windows c
    cdef CheckedText text
    cdef int64_t[::1] starts
    cdef int64_t[::1] positions
    cdef const uint64_t[::1] weight

    def __init__(
        self,
        CheckedText text not None,
        int64_t first,
        int64_t last,
        const uint64_t[::1] weight,     # [window + 1] of a distance
        bint symmetric,
    ):
        cdef int64_t i, w, found, n = last - first
        cdef const int32_t[::1] ids = text.ids
        if not 0 <= first <= last <= text.n_words or weight.shape[0] == 0:
            raise ValueError("the words must lie in the vocabulary, and distance 0 must have a weight")
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(text.counts[first:last], out=starts[1:])
        self.n_rows, self.n_words, self.text, self.starts, self.weight = n, text.n_words, text, starts, weight
        self.positions = anonymous_array(starts[n] + WR_AHEAD, np.int64)
        cdef int64_t[::1] cursor = starts.copy(), places = anonymous_array(starts[n] + 1, np.int64)
        cdef int64_t[::1] positions = self.positions
        with nogil:
            found = wr_places(&ids[0], ids.shape[0], <uint32_t> first, <uint32_t> n, &places[0])
            for i in range(found):
                w = ids[places[i]] - first
                positions[cursor[w]] = places[i]
                cursor[w] += 1
        self.c.ids, self.c.starts, self.c.positions = &ids[0], &self.starts[0], &self.positions[0]
        self.c.weight, self.c.window, self.c.symmetric = &weight[0], weight.shape[0] - 1, symmetric
        self.source.windows, self.source.runs = &self.c, NULL


cdef class Runs(Rows):
    """Rows that were counted on several parts of a text, to be added up."""

    cdef wr_runs c
    cdef const int64_t[:, ::1] starts
    cdef const int32_t[::1] columns
    cdef const uint64_t[::1] sums

    def __init__(
        self,
        const int64_t[:, ::1] starts,   # [n_runs][n_rows + 1] places in columns and sums
        const int32_t[::1] columns,
        const uint64_t[::1] sums,
        int64_t n_words,
    ):
        cdef int64_t run, i
        if columns.shape[0] != sums.shape[0]:
            raise ValueError("columns and sums must have equally many entries")
        if starts.shape[0] == 0 or starts.shape[1] == 0:
            raise ValueError("starts must have a row a run, and an end")
        for run in range(starts.shape[0]):
            for i in range(starts.shape[1]):
                if not (starts[run, i - 1] if i else 0) <= starts[run, i] <= columns.shape[0]:
                    raise ValueError("starts must rise and stay inside columns")
        if columns.shape[0] and not 0 <= np.min(columns) <= np.max(columns) < n_words:
            raise ValueError("a column lies outside the vocabulary")
        self.n_rows, self.n_words = starts.shape[1] - 1, n_words
        self.starts, self.columns, self.sums = starts, columns, sums
        self.c.n_runs, self.c.stride = starts.shape[0], starts.shape[1]
        self.c.starts = &starts[0, 0]
        if columns.shape[0]:
            self.c.columns, self.c.sums = &columns[0], &sums[0]
        self.source.windows, self.source.runs = NULL, &self.c


cdef class Counter:
    """Scratch memory of one thread for the rows of a matrix with `n_words` columns."""

    cdef wr_row row
    cdef uint8_t[::1] seen
    cdef uint64_t[::1] sum
    cdef int64_t n_words

    def __init__(self, int64_t n_words):
        if n_words < 0:
            raise ValueError("n_words must be 0 or above")
        self.n_words = n_words
        self.row.n_masks = n_words // 64 + 1
        # not from malloc, which would keep it for the thread; it begins with zeros
        self.seen, self.sum = (anonymous_array(64 * self.row.n_masks, dtype) for dtype in (np.uint8, np.uint64))
        self.row.seen, self.row.sum = &self.seen[0], &self.sum[0]

    def lengths(self, Rows rows not None, int64_t[::1] out):
        """Write the number of different columns of each of the rows into `out`."""
        if out.shape[0] != rows.n_rows or rows.n_words > self.n_words:
            raise ValueError("out must have an entry a row, and the counter a column a word")
        if out.shape[0]:
            with nogil:
                wr_lengths(&self.row, &rows.source, rows.n_rows, &out[0])

    def sums(
        self,
        Rows rows not None,
        int64_t first,                  # among the rows
        const int64_t[::1] indptr,      # what lengths() gave from there on, summed up from anywhere
        int32_t[::1] columns,           # OUT  rising in each row
        uint64_t[::1] sums,             # OUT
    ):
        """Write some of the rows to columns and sums, one behind the other."""
        cdef int64_t n = indptr.shape[0] - 1
        cdef bint fits = True
        if rows.n_words > self.n_words or not 0 <= first <= first + n <= rows.n_rows:
            raise ValueError("the rows have other words, or are fewer")
        if indptr[0] < 0 or not wr_rises(&indptr[0], n):
            raise ValueError("indptr must rise from 0 or above")
        if not indptr[n] - indptr[0] == columns.shape[0] == sums.shape[0]:
            raise ValueError("indptr, columns and sums do not fit each other")
        if columns.shape[0]:
            with nogil:
                fits = wr_sums(&self.row, &rows.source, first, n, &indptr[0], &columns[0], &sums[0])
        if not fits:
            raise ValueError("indptr is not that of the rows")

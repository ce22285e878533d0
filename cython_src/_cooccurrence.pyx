# cython: auto_pickle=False
# (pickles could set sizes that the arrays do not have)
"""Co-occurrence counts, one row of the matrix X at a time.

(a) A row is the sum over the windows around all positions of a word in a text (`Windows`), or the sum of rows that were
    counted on parts of the text before (`Runs`).
(b) Weights are integers, in a common unit, so sums are exact: the result does not depend on the order or on the parts.
(c) Rows are independent, so any thread may process any of them. Row lengths are counted first, so that the matrix is
    written directly to its final place.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from gensim_wordrank._utils.memory import anonymous_array

cdef extern from "wr_cooccurrence.h" nogil:
    ctypedef struct wr_row:
        uint8_t *seen
        uint64_t *sum
        int64_t n_masks

    int64_t wr_take_length(wr_row *row)
    bint wr_take_row(wr_row *row, int64_t capacity, int32_t *columns, uint64_t *sums)

cdef extern from * nogil:
    void prefetch "__builtin_prefetch"(const void *address)

# how many windows ahead to prefetch: they lie anywhere in the text
cdef enum: AHEAD = 8


cdef inline void add_to_row(wr_row *row, int32_t column, uint64_t weight, bint with_sums) noexcept nogil:
    row.seen[column] = 1
    if with_sums:
        row.sum[column] += weight


cdef class CheckedText:
    """Sentences of word ids below `n_words`, with -1 before and after each.

    The ids are not copied, so they may change: what reads them checks them again.
    """

    cdef const int32_t[::1] ids
    cdef readonly int64_t n_words
    cdef int64_t[::1] word_counts

    def __cinit__(self, const int32_t[::1] ids, int64_t n_words):
        cdef int64_t i
        cdef int32_t w = 0
        cdef bint outside = False
        if ids.shape[0] == 0 or ids[0] != -1 or ids[ids.shape[0] - 1] != -1:
            raise ValueError("the text must begin and end with -1")
        cdef int64_t[::1] counts = np.zeros(n_words, np.int64)
        self.ids, self.n_words, self.word_counts = ids, n_words, counts
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

    @property
    def counts(self):
        """The number of occurrences of each word, as a copy."""
        return np.array(self.word_counts)


cdef class Rows:
    """A source of rows: windows of a text, or runs."""

    cdef readonly int64_t n_rows
    cdef readonly int64_t n_words       # columns are below this

    cdef void add(self, wr_row *row, int64_t i, bint with_sums) noexcept nogil:
        """Add the columns of row i, and their sums unless only the columns matter."""


cdef class Windows(Rows):
    """Rows of words first to last - 1, counted from the windows around their positions in a text."""

    cdef const int32_t[::1] ids
    cdef int64_t[::1] starts            # where the positions of each word begin
    cdef int64_t[::1] positions         # and AHEAD more entries
    cdef const uint64_t[::1] weight
    cdef bint symmetric

    def __cinit__(
        self,
        CheckedText text not None,
        int64_t first,
        int64_t last,
        const uint64_t[::1] weight,     # [window + 1] by distance
        bint symmetric,                 # otherwise only words before the center count
    ):
        cdef int64_t i, w, n_positions, n_found = 0, n = last - first
        if not 0 <= first <= last <= text.n_words or weight.shape[0] == 0:
            raise ValueError("the words must lie in the vocabulary, and distance 0 must have a weight")
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(text.word_counts[first:last], out=starts[1:])
        self.n_rows, self.n_words, self.ids, self.weight, self.symmetric = n, text.n_words, text.ids, weight, symmetric
        n_positions = starts[n]
        self.starts, self.positions = starts, anonymous_array(n_positions + AHEAD, np.int64)
        cdef int64_t[::1] cursor = starts.copy(), found = anonymous_array(n_positions + 1, np.int64)
        cdef bint changed = False
        with nogil:
            for i in range(self.ids.shape[0]):
                found[n_found] = i  # no branch: it would be mispredicted
                n_found += <uint64_t> (self.ids[i] - first) < <uint64_t> n
                if n_found > n_positions:
                    changed = True
                    break
            for i in range(0 if changed else n_found):
                w = self.ids[found[i]] - first
                if not 0 <= w < n or cursor[w] == self.starts[w + 1]:
                    changed = True
                    break
                self.positions[cursor[w]] = found[i]
                cursor[w] += 1
        if changed or n_found != n_positions:
            raise ValueError("the text was changed while it was counted")

    cdef void add(self, wr_row *row, int64_t i, bint with_sums) noexcept nogil:
        cdef const int32_t *center
        cdef const int32_t *ahead
        cdef const uint64_t *weight = &self.weight[0]
        cdef int64_t p, d, place, before, behind, window = self.weight.shape[0] - 1
        cdef uint32_t n_words = <uint32_t> self.n_words
        for p in range(self.starts[i], self.starts[i + 1]):
            center, ahead = &self.ids[0] + self.positions[p], &self.ids[0] + self.positions[p + AHEAD]
            prefetch(ahead - window)
            prefetch(ahead)
            prefetch(ahead + window)
            # within the text, whatever it holds by now
            place = self.positions[p]
            before, behind = min(window, place), min(window, self.ids.shape[0] - 1 - place) if self.symmetric else 0
            d = 1
            while d <= before and <uint32_t> center[-d] < n_words:  # -1, which ends a sentence, is large as unsigned
                add_to_row(row, center[-d], weight[d], with_sums)
                d += 1
            d = 1
            while d <= behind and <uint32_t> center[d] < n_words:
                add_to_row(row, center[d], weight[d], with_sums)
                d += 1


cdef class Runs(Rows):
    """Rows that are the sums of rows counted on several parts of a text."""

    cdef const int64_t[:, ::1] starts
    cdef const int32_t[::1] columns
    cdef const uint64_t[::1] sums

    def __cinit__(
        self,
        const int64_t[:, ::1] starts,   # [n_runs][n_rows + 1] offsets into columns and sums
        const int32_t[::1] columns,
        const uint64_t[::1] sums,
        int64_t n_words,
    ):
        cdef int64_t run, i
        if columns.shape[0] != sums.shape[0]:
            raise ValueError("columns and sums must have the same length")
        if starts.shape[0] == 0 or starts.shape[1] == 0:
            raise ValueError("starts must have one row per run, and an end")
        for run in range(starts.shape[0]):
            for i in range(starts.shape[1]):
                if not (starts[run, i - 1] if i else 0) <= starts[run, i] <= columns.shape[0]:
                    raise ValueError("starts must not decrease and must lie inside columns")
        if columns.shape[0] and not 0 <= np.min(columns) <= np.max(columns) < n_words:
            raise ValueError("a column lies outside the vocabulary")
        self.n_rows, self.n_words = starts.shape[1] - 1, n_words
        self.starts, self.columns, self.sums = starts.copy(), columns, sums  # columns are checked again

    cdef void add(self, wr_row *row, int64_t i, bint with_sums) noexcept nogil:
        cdef int64_t run, p
        for run in range(self.starts.shape[0]):
            for p in range(self.starts[run, i], self.starts[run, i + 1]):
                if <uint64_t> self.columns[p] < <uint64_t> self.n_words:
                    add_to_row(row, self.columns[p], self.sums[p], with_sums)


cdef class Counter:
    """Counts rows of a matrix with `n_words` columns, in the scratch memory of one thread."""

    cdef wr_row row
    cdef uint8_t[::1] seen
    cdef uint64_t[::1] sum
    cdef int64_t n_words

    def __cinit__(self, int64_t n_words):  # once: its arrays belong to `row`
        if n_words < 0:
            raise ValueError("n_words must be 0 or above")
        self.n_words = n_words
        self.row.n_masks = n_words // 64 + 1
        # zeros, and not from malloc, which would keep them for the thread
        self.seen, self.sum = (anonymous_array(64 * self.row.n_masks, dtype) for dtype in (np.uint8, np.uint64))
        self.row.seen, self.row.sum = &self.seen[0], &self.sum[0]

    def lengths(self, Rows rows not None, int64_t[::1] out):
        """Write the number of distinct columns of each row into `out`."""
        if out.shape[0] != rows.n_rows or rows.n_words > self.n_words:
            raise ValueError("out must have one entry per row, and the counter one column per word")
        cdef int64_t i
        with nogil:
            for i in range(rows.n_rows):
                rows.add(&self.row, i, False)
                out[i] = wr_take_length(&self.row)

    def sums(
        self,
        Rows rows not None,
        int64_t first,                  # the first of the rows to write
        const int64_t[::1] indptr,      # the cumulative sum of their lengths(), from any start
        int32_t[::1] columns,           # OUT  increasing in each row
        uint64_t[::1] sums,             # OUT
    ):
        """Write consecutive rows to columns and sums."""
        cdef int64_t i, start, n = indptr.shape[0] - 1
        cdef bint fits = True
        if rows.n_words > self.n_words or not 0 <= first <= first + n <= rows.n_rows:
            raise ValueError("the rows have other words, or there are fewer of them")
        if indptr[0] < 0:
            raise ValueError("indptr must be 0 or above")
        for i in range(n):
            if indptr[i] > indptr[i + 1]:
                raise ValueError("indptr must not decrease")
        if not indptr[n] - indptr[0] == columns.shape[0] == sums.shape[0]:
            raise ValueError("indptr, columns and sums have different lengths")
        if columns.shape[0] == 0:
            return
        with nogil:
            for i in range(n):
                rows.add(&self.row, first + i, True)
                start = indptr[i] - indptr[0]
                fits &= wr_take_row(&self.row, indptr[i + 1] - indptr[i], &columns[0] + start, &sums[0] + start)
        if not fits:
            raise ValueError("indptr does not match the lengths of the rows")

"""Stage 2: the ranks of all pairs of a tile of words, from the tile's scores."""
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "wr_ranks.h" nogil:
    const int WR_DEGREE
    const int64_t WR_BAND
    const int64_t WR_MAX_CELLS
    const double WR_CELL

    ctypedef struct wr_hinge_work:
        int64_t n_bins
        int32_t *first
        float *thresholds
        int64_t *count
        double *sum

    ctypedef struct wr_logistic_work:
        double *powers
        double *poly
        char *asked

    int wr_score_range(const float *scores, int64_t n, float *low, float *high)
    void wr_hinge_ranks(
        const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs,
        wr_hinge_work *work, double *ranks)
    void wr_logistic_taylor(double x, double *out)
    void wr_logistic_ranks(
        const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs,
        const double *taylor, wr_logistic_work *work, double low, int64_t n_cells, double *ranks)
    void wr_plain_logistic_ranks(
        const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs, double *ranks)


cdef int64_t check_tile(
    const float[:, ::1] scores, const int64_t[::1] indptr, const int32_t[::1] columns, double[::1] ranks
) except -1:
    """Return the number of pairs of the longest row; refuse shapes and scores a kernel must not see."""
    cdef int64_t row, i, longest = 0
    cdef float low, high
    if scores.shape[1] == 0:
        raise ValueError("scores must have a column a context")
    if indptr.shape[0] != scores.shape[0] + 1 or ranks.shape[0] != indptr[indptr.shape[0] - 1] - indptr[0]:
        raise ValueError("scores, indptr and ranks describe tiles of different sizes")
    if indptr[0] < 0 or indptr[indptr.shape[0] - 1] > columns.shape[0]:
        raise ValueError("indptr points outside columns")
    for row in range(scores.shape[0]):
        if indptr[row + 1] < indptr[row]:
            raise ValueError("indptr must not decrease")
        longest = max(longest, indptr[row + 1] - indptr[row])
        if not wr_score_range(&scores[row, 0], scores.shape[1], &low, &high):
            raise FloatingPointError("a score <u_w, v_c> is not finite")
    for i in range(indptr[0], indptr[indptr.shape[0] - 1]):
        if not 0 <= columns[i] < scores.shape[1]:
            raise ValueError("a column lies outside the scores")
    return longest


def hinge_ranks(
    const float[:, ::1] scores,         # a row a word of the tile, a column a context
    const int64_t[::1] indptr,          # where the pairs of each row of the tile begin in `columns`
    const int32_t[::1] columns,
    double[::1] ranks,                  # OUT  a number a pair of the tile
):
    """Write the sum over c' != c of max(0, 1 - s_c + s_c') for every pair of the tile."""
    cdef int64_t longest = check_tile(scores, indptr, columns, ranks)
    cdef int64_t n_bins = 64, row, n_contexts = scores.shape[1]
    if longest == 0:
        return
    while n_bins < 4 * longest and n_bins < 16384:
        n_bins *= 2
    cdef int32_t[::1] first = np.empty(n_bins + 1, np.int32)
    cdef float[::1] thresholds = np.empty(longest, np.float32)
    cdef int64_t[::1] count = np.empty(longest + 1, np.int64)
    cdef double[::1] sums = np.empty(longest + 1, np.float64)
    cdef wr_hinge_work work
    work.n_bins = n_bins
    work.first, work.thresholds, work.count, work.sum = &first[0], &thresholds[0], &count[0], &sums[0]
    with nogil:
        for row in range(scores.shape[0]):
            if indptr[row + 1] > indptr[row]:
                wr_hinge_ranks(
                    &scores[row, 0], n_contexts, &columns[indptr[row]], indptr[row + 1] - indptr[row],
                    &work, &ranks[indptr[row] - indptr[0]])


def logistic_ranks(
    const float[:, ::1] scores,
    const int64_t[::1] indptr,
    const int32_t[::1] columns,
    double[::1] ranks,                  # OUT  a number a pair of the tile
):
    """Write the sum over c' != c of log2(1 + 2^(s_c' - s_c)), within 6e-8 (sum + 1), for every pair of the tile."""
    cdef int64_t longest = check_tile(scores, indptr, columns, ranks)
    if longest == 0:
        return
    cdef int64_t i, row, n_cells, most_cells = 1, n_contexts = scores.shape[1], n_terms = WR_DEGREE + 1
    cdef double[:, ::1] taylor = np.empty((2 * WR_BAND + 1, n_terms))
    for i in range(taylor.shape[0]):
        wr_logistic_taylor((i - WR_BAND) * WR_CELL, &taylor[i, 0])
    cdef float low, high
    for row in range(scores.shape[0]):
        wr_score_range(&scores[row, 0], n_contexts, &low, &high)
        if (<double>high - low) / WR_CELL < WR_MAX_CELLS:
            most_cells = max(most_cells, <int64_t>((<double>high - low) / WR_CELL) + 1)
    cdef double[:, ::1] powers = np.empty((most_cells, n_terms)), poly = np.empty((most_cells, n_terms))
    cdef char[::1] asked = np.empty(most_cells, np.int8)
    cdef wr_logistic_work work
    work.powers, work.poly, work.asked = &powers[0, 0], &poly[0, 0], &asked[0]
    with nogil:
        for row in range(scores.shape[0]):
            if indptr[row + 1] == indptr[row]:
                continue
            wr_score_range(&scores[row, 0], n_contexts, &low, &high)
            if (<double>high - low) / WR_CELL < WR_MAX_CELLS:
                n_cells = <int64_t>((<double>high - low) / WR_CELL) + 1
                wr_logistic_ranks(
                    &scores[row, 0], n_contexts, &columns[indptr[row]], indptr[row + 1] - indptr[row],
                    &taylor[0, 0], &work, low, n_cells, &ranks[indptr[row] - indptr[0]])
            else:
                wr_plain_logistic_ranks(
                    &scores[row, 0], n_contexts, &columns[indptr[row]], indptr[row + 1] - indptr[row],
                    &ranks[indptr[row] - indptr[0]])

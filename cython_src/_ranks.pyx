"""Stage 2 of Algorithm 1: the ranks of all pairs of a tile of words, from the tile's scores, and xi from the ranks."""
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef extern from "wr_ranks.h" nogil:
    const int WR_DEGREE
    const int64_t WR_BAND
    const double WR_BIN

    ctypedef struct wr_hinge_work:
        int64_t n_bins
        int32_t *first
        float *thresholds
        int64_t *count
        double *sum

    ctypedef struct wr_logistic_work:
        double *powers
        double *poly
        char *has_pairs

    int wr_score_range(const float *scores, int64_t n, float *low, float *high)
    void wr_hinge_ranks(
        const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs,
        wr_hinge_work *work, double *ranks)
    void wr_logistic_taylor(double x, double *out)
    int64_t wr_n_bins(const float *scores, int64_t n_contexts, float *low)
    void wr_logistic_ranks(
        const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs,
        const double *taylor, wr_logistic_work *work, double *ranks)


cdef int64_t check_tile(
    const float[:, ::1] scores, const int64_t[::1] indptr, const int32_t[::1] columns, double[::1] ranks
) except -1:
    """Return the length of the longest row; raise an error if shapes, columns or scores are invalid."""
    cdef int64_t row, i, longest = 0
    cdef float low, high
    if scores.shape[1] == 0:
        raise ValueError("scores must have one column per context")
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
    const float[:, ::1] scores,         # one row per word of the tile, one column per context
    const int64_t[::1] indptr,          # start of each row's pairs in `columns`
    const int32_t[::1] columns,
    double[::1] ranks,                  # OUT  one per pair of the tile
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
    cdef wr_hinge_work work = wr_hinge_work(n_bins, &first[0], &thresholds[0], &count[0], &sums[0])
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
    double[::1] ranks,                  # OUT  one per pair of the tile
):
    """Write the sum over c' != c of log2(1 + 2^(s_c' - s_c)), within 6e-8 (sum + 1), for every pair of the tile."""
    cdef int64_t longest = check_tile(scores, indptr, columns, ranks)
    if longest == 0:
        return
    cdef int64_t i, row, max_bins = 1, n_contexts = scores.shape[1], n_terms = WR_DEGREE + 1
    cdef float low
    cdef double[:, ::1] taylor = np.empty((2 * WR_BAND + 1, n_terms))
    for i in range(taylor.shape[0]):
        wr_logistic_taylor((i - WR_BAND) * WR_BIN, &taylor[i, 0])
    for row in range(scores.shape[0]):
        max_bins = max(max_bins, wr_n_bins(&scores[row, 0], n_contexts, &low))
    cdef double[:, ::1] powers = np.empty((max_bins, n_terms)), poly = np.empty((max_bins, n_terms))
    cdef char[::1] has_pairs = np.empty(max_bins, np.int8)
    cdef wr_logistic_work work = wr_logistic_work(powers=&powers[0, 0], poly=&poly[0, 0], has_pairs=&has_pairs[0])
    with nogil:
        for row in range(scores.shape[0]):
            if indptr[row + 1] > indptr[row]:
                wr_logistic_ranks(
                    &scores[row, 0], n_contexts, &columns[indptr[row]], indptr[row + 1] - indptr[row], &taylor[0, 0],
                    &work, &ranks[indptr[row] - indptr[0]])


# xi_wc = alpha / (sum over c' != c of l(<u_w, v_c - v_c'>) + beta): equation (12), line 15 of Algorithm 1
def update_xi(const double[::1] ranks, double rank_scale, double rank_offset, float[::1] xi):
    """Write xi, at which the bound (11) equals the objective; it is infinite where rank and offset are 0."""
    cdef Py_ssize_t i
    if ranks.shape[0] != xi.shape[0]:
        raise ValueError("ranks and xi must have the same length")
    with nogil:
        for i in range(ranks.shape[0]):
            xi[i] = <float> (rank_scale / (ranks[i] + rank_offset))

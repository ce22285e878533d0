"""Algorithm 1, stage 1: triplet SGD as the paper prints it."""
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "wr_triplets.h" nogil:
    ctypedef struct wr_triplet_options:
        int rank_loss
        int pair_loss
        double t
        double rank_scale
        double rank_offset
        double l2
        double step

    double wr_run_triplets(
        float *words, float *contexts, int64_t size, int64_t n_words, int64_t n_contexts,
        const int64_t *indptr, const int32_t *columns, const float *weights, const float *xi,
        int64_t n_triplets, wr_triplet_options options, uint64_t seed)


def run_triplets(
    float[:, ::1] words,                # INOUT  U
    float[:, ::1] contexts,             # INOUT  V
    const int64_t[::1] indptr,
    const int32_t[::1] columns,
    const float[::1] weights,           # r
    const float[::1] xi,
    int64_t n_triplets,
    int rank_loss,
    int pair_loss,
    double t,
    double rank_scale,
    double rank_offset,
    double l2,
    double step,
    uint64_t seed,
):
    """Draw `n_triplets` and update U and V; return the sum of j(w,c,c') / |Omega|, equation (13)."""
    cdef int64_t n_pairs = columns.shape[0], i
    cdef wr_triplet_options options
    cdef double total
    if words.shape[1] != contexts.shape[1]:
        raise ValueError("words and contexts must have vectors of one size")
    if indptr.shape[0] != words.shape[0] + 1 or indptr[0] != 0 or indptr[words.shape[0]] != n_pairs:
        raise ValueError("indptr must have a row a word and end at the number of pairs")
    if weights.shape[0] != n_pairs or xi.shape[0] != n_pairs:
        raise ValueError("weights and xi must have an entry a pair")
    for i in range(n_pairs):
        if not 0 <= columns[i] < contexts.shape[0]:
            raise ValueError("a column lies outside the contexts")
    if n_pairs == 0 or contexts.shape[0] < 2:  # no triplet exists
        return 0.0
    options.rank_loss, options.pair_loss, options.t = rank_loss, pair_loss, t
    options.rank_scale, options.rank_offset = rank_scale, rank_offset
    options.l2, options.step = l2, step
    with nogil:
        total = wr_run_triplets(
            &words[0, 0], &contexts[0, 0], words.shape[1], words.shape[0], contexts.shape[0],
            &indptr[0], &columns[0], &weights[0], &xi[0], n_triplets, options, seed)
    return total

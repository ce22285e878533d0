"""Stage 1 of Algorithm 1, as the paper prints it: SGD on uniformly sampled triplets (w, c, c'), with xi held fixed."""
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "wr_losses.h" nogil:
    double wr_rank_loss(int kind, double t, double x)
    double wr_rank_slope(int kind, double t, double x)
    double wr_pair_loss(int kind, double x)
    double wr_pair_slope(int kind, double x)

cdef extern from "wr_random.h" nogil:
    int64_t wr_random_below(uint64_t *state, int64_t bound)

cdef extern from "wr_triplet_step.h" nogil:
    float wr_margin(const float *u, const float *v, const float *v_neg, int64_t size)
    void wr_apply_triplet_gradient(
        float *u, float *v, float *v_neg, int64_t size, float gradient, double weight_decay, double r)


cdef struct Parameters:
    int rank_loss, pair_loss
    double t, rank_scale, rank_offset, l2, learning_rate


cdef class TripletOptions:
    """Parameters of `run_triplets`; the paper's alpha, beta and eta are rank_scale, rank_offset and learning_rate."""

    cdef Parameters c

    def __cinit__(self, **parameters):
        self.c = parameters
        if len(parameters) > len(dict(self.c)):
            raise TypeError(f"unknown parameters: {sorted(parameters.keys() - dict(self.c).keys())}")


cdef inline int64_t word_of_pair(const int64_t[::1] indptr, int64_t p) noexcept nogil:
    """Return the row of the counts that holds pair p: the last one that starts at or before p."""
    cdef int64_t low = 0, high = indptr.shape[0] - 1, middle
    while high - low > 1:
        middle = (low + high) // 2
        if indptr[middle] <= p:
            low = middle
        else:
            high = middle
    return low


cdef inline int64_t sample_negative(int64_t c, int64_t n_contexts, uint64_t *random) noexcept nogil:
    """Return a context that is not c."""
    cdef int64_t negative = wr_random_below(random, n_contexts - 1)
    return negative + (negative >= c)


# equation (13): j / |Omega| = r (rho(1/xi) + rho'(1/xi) (beta/alpha - 1/xi) + (|C| - 1)/alpha rho'(1/xi) l(margin))
cdef inline double triplet_loss(
    const Parameters *o, int64_t n_contexts, double r, double xi_inverse, double margin
) noexcept nogil:
    cdef double slope = wr_rank_slope(o.rank_loss, o.t, xi_inverse)
    return r * (
        wr_rank_loss(o.rank_loss, o.t, xi_inverse) + slope * (o.rank_offset / o.rank_scale - xi_inverse)
        + slope * <double> (n_contexts - 1) / o.rank_scale * wr_pair_loss(o.pair_loss, margin))


# eta r rho'(1/xi) l'(<u_w, v_c - v_c'>): the common factor of lines 8 to 10
cdef inline float step_gradient(const Parameters *o, double r, double xi_inverse, double margin) noexcept nogil:
    return <float> (
        o.learning_rate * r * wr_rank_slope(o.rank_loss, o.t, xi_inverse) * wr_pair_slope(o.pair_loss, margin))


def run_triplets(
    float[:, ::1] words,                # INOUT  U
    float[:, ::1] contexts,             # INOUT  V
    tuple counts,                       # (indptr, columns) of the pairs Omega, in CSR order
    const float[::1] weights,           # r, one per pair
    const float[::1] xi,                # one per pair
    int64_t n_triplets,
    TripletOptions options not None,
    uint64_t seed,
):
    """Update U and V with sampled triplets; return the sums of j(w,c,c') / |Omega|, equation (13), and of r."""
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] columns
    indptr, columns = counts
    check_shapes(words, contexts, indptr, columns, weights, xi)
    cdef int64_t n_pairs = columns.shape[0], n_contexts = contexts.shape[0], size = words.shape[1], p, w, c, negative, _
    cdef double margin, loss = 0.0, weight = 0.0
    if n_pairs == 0 or n_contexts < 2:  # no triplet exists
        return loss, weight
    cdef Parameters o = options.c
    # lines 8 to 10 leave the factor |Omega| (|C| - 1) / alpha of j to the step size; L2 is put on the same scale
    cdef double weight_decay = o.learning_rate * o.l2 * o.rank_scale / <double> (n_contexts - 1)
    with nogil:
        for _ in range(n_triplets):
            p = wr_random_below(&seed, n_pairs)  # line 5: sample (w, c) uniformly from Omega
            w, c = word_of_pair(indptr, p), columns[p]
            negative = sample_negative(c, n_contexts, &seed)  # line 6: sample c' uniformly from C without c
            margin = wr_margin(&words[w, 0], &contexts[c, 0], &contexts[negative, 0], size)
            weight += weights[p]
            loss += triplet_loss(&o, n_contexts, weights[p], 1.0 / xi[p], margin)
            wr_apply_triplet_gradient(
                &words[w, 0], &contexts[c, 0], &contexts[negative, 0], size,
                step_gradient(&o, weights[p], 1.0 / xi[p], margin), weight_decay, weights[p])
    return loss, weight


cdef int check_shapes(
    const float[:, ::1] words, const float[:, ::1] contexts, const int64_t[::1] indptr, const int32_t[::1] columns,
    const float[::1] weights, const float[::1] xi,
) except -1:
    """Raise ValueError if a triplet could lie outside the arrays."""
    cdef int64_t i, n_pairs = columns.shape[0]
    if words.shape[1] != contexts.shape[1]:
        raise ValueError("words and contexts must have vectors of one size")
    if indptr.shape[0] != words.shape[0] + 1 or indptr[0] != 0 or indptr[words.shape[0]] != n_pairs:
        raise ValueError("indptr must have one row per word and end at the number of pairs")
    if weights.shape[0] != n_pairs or xi.shape[0] != n_pairs:
        raise ValueError("weights and xi must have one entry per pair")
    for i in range(n_pairs):
        if not 0 <= columns[i] < contexts.shape[0]:
            raise ValueError("a column lies outside the contexts")
    return 0

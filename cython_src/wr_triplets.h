/* Algorithm 1, stage 1, as it is printed: triplets (w, c, c') one at a time, xi held fixed.
 *
 * (a) One point is one triplet; (b) a call draws `n_triplets` of them; (c) training.py alternates it with stage 2.
 */
#ifndef WR_TRIPLETS_H
#define WR_TRIPLETS_H

#include "wr_dispatch.h"
#include "wr_losses.h"
#include "wr_random.h"

typedef struct {
    int rank_loss, pair_loss;
    double t, rank_scale, rank_offset, l2, step;
} wr_triplet_options;

/* The row of pair p: the last row whose first pair is not after p. */
static inline int64_t wr_row_of(const int64_t *indptr, int64_t n_rows, int64_t p) {
    int64_t low = 0, high = n_rows;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (indptr[middle] <= p) low = middle;
        else high = middle;
    }
    return low;
}

/* <u, v - v'> */
static inline float wr_margin(const float *u, const float *v, const float *other, int64_t size) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < size; i++) sum += u[i] * (v[i] - other[i]);
    return sum;
}

/* Run stage 1; return the sum over triplets of j(w,c,c') / |Omega|, equation (13), whose mean is the bound / |Omega|. */
WR_CLONES static double wr_run_triplets(
    float *words, float *contexts, int64_t size, int64_t n_words, int64_t n_contexts,
    const int64_t *indptr, const int32_t *columns, const float *weights, const float *xi,
    int64_t n_triplets, wr_triplet_options o, uint64_t seed
) {
    const int64_t n_pairs = indptr[n_words];
    /* lines 8 to 10 leave the factor |Omega| (|C| - 1) / alpha of j to the step; the L2 term is put on the same scale */
    const double decay = o.step * o.l2 * o.rank_scale / (double)(n_contexts - 1);
    double total = 0.0;
    uint64_t state = seed;
    for (int64_t i = 0; i < n_triplets; i++) {
        int64_t p = wr_random_below(&state, n_pairs);
        int64_t c = columns[p];
        int64_t other = wr_random_below(&state, n_contexts - 1);
        other += other >= c; /* uniform on C \ {c} */
        float *u = words + wr_row_of(indptr, n_words, p) * size;
        float *v = contexts + c * size, *v_other = contexts + other * size;

        double margin = wr_margin(u, v, v_other, size);
        double x = 1.0 / xi[p], r = weights[p];
        double slope = wr_rank_slope(o.rank_loss, o.t, x);
        total += r * (wr_rank_loss(o.rank_loss, o.t, x) + slope * (o.rank_offset / o.rank_scale - x)
                      + slope * (double)(n_contexts - 1) / o.rank_scale * wr_pair_loss(o.pair_loss, margin));

        float gradient = (float)(o.step * r * slope * wr_pair_slope(o.pair_loss, margin));
        float keep = (float)(1.0 - decay * r);
        for (int64_t d = 0; d < size; d++) { /* simultaneous: every right-hand side is the old value */
            float old_u = u[d], old_v = v[d], old_other = v_other[d];
            u[d] = keep * old_u - gradient * (old_v - old_other);
            v[d] = keep * old_v - gradient * old_u;
            v_other[d] = old_other + gradient * old_u;
        }
    }
    return total;
}

#endif

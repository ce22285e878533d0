/* Stage 2: the ranks of all pairs of one word (wr_ranks.c). */
#ifndef WR_RANKS_H
#define WR_RANKS_H

#include "wr_dispatch.h"
#include "wr_losses.h"

/* Find the range of a row; return 0 if a score is not finite or too large to be binned. */
WR_DISPATCH(int, wr_score_range, (const float *scores, int64_t n, float *low, float *high), (scores, n, low, high))

typedef struct {
    int64_t n_bins;    /* equal bins over [low, high] */
    float low, high, per_unit;
    int32_t *first;    /* [n_bins + 1] index of the first threshold of a bin */
    float *thresholds; /* [n_pairs] sorted */
    int64_t *count;    /* [n_pairs + 1] number of scores with exactly i thresholds below them */
    double *sum;       /* [n_pairs + 1] and their sum */
} wr_hinge_work;

WR_DISPATCH(
    void, wr_hinge_ranks,
    (const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs, wr_hinge_work *w, double *ranks),
    (scores, n_contexts, columns, n_pairs, w, ranks))

#define WR_BIN 0.25
#define WR_DEGREE 5
#define WR_REACH 40.0
#define WR_BAND ((int64_t)(WR_REACH / WR_BIN))
#define WR_MAX_BINS 65536 /* wider rows, which only a diverged model has, are summed directly */

typedef struct {
    int64_t n_bins;
    double low;      /* where the first bin begins */
    double *powers;  /* [n_bins][WR_DEGREE + 1] sums of d^m */
    double *poly;    /* [n_bins][WR_DEGREE + 1] coefficients of e^j */
    char *has_pairs; /* [n_bins] whether a pair falls into the bin */
} wr_logistic_work;

/* l^(m)(x) / m! for m = 0 .. WR_DEGREE, by sigma = 1 / (1 + 2^x), sigma' = -ln(2) sigma (1 - sigma) */
static inline void wr_logistic_taylor(double x, double *out) {
    double s = 1.0 / (1.0 + exp2(x)), q = WR_LN2 * s * (1.0 - s);
    out[0] = wr_pair_loss(WR_LOGISTIC, x);
    out[1] = -s;
    out[2] = q / 2.0;
    out[3] = -WR_LN2 * q * (1.0 - 2.0 * s) / 6.0;
    out[4] = WR_LN2 * WR_LN2 * q * (1.0 - 6.0 * s + 6.0 * s * s) / 24.0;
    out[5] = -WR_LN2 * WR_LN2 * WR_LN2 * q * (1.0 - 2.0 * s) * (1.0 - 12.0 * s + 12.0 * s * s) / 120.0;
}

/* The number of bins that cover a row's scores, or 0 if there would be more than WR_MAX_BINS */
WR_DISPATCH(int64_t, wr_n_bins, (const float *scores, int64_t n_contexts, float *low), (scores, n_contexts, low))

WR_DISPATCH(
    void, wr_logistic_ranks,
    (const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs, const double *taylor,
     wr_logistic_work *w, double *ranks),
    (scores, n_contexts, columns, n_pairs, taylor, w, ranks))

#endif

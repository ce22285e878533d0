/* Comparing pairs of a word with sampled contexts: the pair losses over arrays, in float, four pairs at a time.
 *
 * (a) One point is how far a sampled context is over the bar of a pair; (b) loops go over the sample; (c) wr_sampled.h takes the
 * ranks of pairs from the sums, and the steps from the pulls.
 */
#ifndef WR_COMPARE_H
#define WR_COMPARE_H

#include "wr_dispatch.h"
#include "wr_losses.h"
#include "wr_math.h"

/* l(s_c - s') and weight * -l'(s_c - s') in float, vectorised, the formulas of wr_losses.h, as functions of how far s' is over a
 * bar: s' - (s_c - 1) for the hinge; 2^(s' - s_c) for the logistic loss, for which the sample holds 2^s' and the bar is 2^-s_c, so
 * that a pair and a context cost a product and no power. Nothing is over the bar WR_NOTHING_OVER.
 */
#define WR_NOTHING_OVER(pair_loss) ((pair_loss) == WR_HINGE ? INFINITY : 0.0f)

WR_INLINE float wr_bar_of(int pair_loss, float score) { return pair_loss == WR_HINGE ? score - 1.0f : wr_exp2(-score); }

WR_INLINE float wr_over(int pair_loss, float sampled, float bar) {
    return pair_loss == WR_HINGE ? sampled - bar : sampled * bar;
}

WR_INLINE float wr_loss_of(int pair_loss, float over) {
    if (pair_loss == WR_HINGE) return over > 0.0f ? over : 0.0f;
    return wr_log2(1.0f + over);
}

WR_INLINE float wr_pull_of(int pair_loss, float over, float weight) {
    if (pair_loss == WR_HINGE) return over > 0.0f ? weight : 0.0f;
    return weight - weight / (1.0f + over);
}

/* 2^x in place of x, for the sampled scores of the logistic loss */
WR_INLINE void wr_raise(float *scores, int64_t n_samples) {
#pragma omp simd
    for (int64_t j = 0; j < n_samples; j++) scores[j] = wr_exp2(scores[j]);
}

/* Weighted sums of l over the sample for four pairs at a time, which read the sample's scores once */
WR_INLINE void wr_sum_losses(
    int pair_loss, const float *scores, const float *share, int64_t n_samples, const float *bar, float *sum
) {
    const float b0 = bar[0], b1 = bar[1], b2 = bar[2], b3 = bar[3];
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
    for (int64_t j = 0; j < n_samples; j++) {
        a0 += share[j] * wr_loss_of(pair_loss, wr_over(pair_loss, scores[j], b0));
        a1 += share[j] * wr_loss_of(pair_loss, wr_over(pair_loss, scores[j], b1));
        a2 += share[j] * wr_loss_of(pair_loss, wr_over(pair_loss, scores[j], b2));
        a3 += share[j] * wr_loss_of(pair_loss, wr_over(pair_loss, scores[j], b3));
    }
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
}

/* Add weight * -l' of four pairs to the push on every sampled context; write the sums of it a pair */
WR_INLINE void wr_add_pulls(
    int pair_loss, const float *scores, const float *share, int64_t n_samples, const float *bar, const float *weight,
    float *push, float *sum
) {
    const float b0 = bar[0], b1 = bar[1], b2 = bar[2], b3 = bar[3];
    const float w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
    for (int64_t j = 0; j < n_samples; j++) {
        const float p0 = wr_pull_of(pair_loss, wr_over(pair_loss, scores[j], b0), w0);
        const float p1 = wr_pull_of(pair_loss, wr_over(pair_loss, scores[j], b1), w1);
        const float p2 = wr_pull_of(pair_loss, wr_over(pair_loss, scores[j], b2), w2);
        const float p3 = wr_pull_of(pair_loss, wr_over(pair_loss, scores[j], b3), w3);
        a0 += share[j] * p0, a1 += share[j] * p1, a2 += share[j] * p2, a3 += share[j] * p3;
        push[j] += share[j] * ((p0 + p1) + (p2 + p3));
    }
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
}

#endif

/* The pair losses of wr_losses.h over an array of negatives: in float, vectorized, for four pairs at a time.
 *
 * l(s_c - s_c') is a function of the violation, which measures how far the score of a negative c' exceeds the margin threshold of
 * the pair. Hinge: the threshold is s_c - 1 and the violation is s_c' - threshold. Logistic: negatives are stored as 2^s_c', the
 * threshold is 2^-s_c, and the violation is their product 2^(s_c' - s_c), so that no power is needed per pair and negative.
 */
#ifndef WR_PAIR_LOSSES_H
#define WR_PAIR_LOSSES_H

#include "wr_dispatch.h"
#include "wr_losses.h"
#include "wr_math.h"

/* The threshold that no negative exceeds */
#define WR_NO_VIOLATION(pair_loss) ((pair_loss) == WR_HINGE ? INFINITY : 0.0f)

WR_INLINE float wr_margin_threshold(int pair_loss, float score) {
    return pair_loss == WR_HINGE ? score - 1.0f : wr_exp2(-score);
}

WR_INLINE float wr_violation(int pair_loss, float negative, float threshold) {
    return pair_loss == WR_HINGE ? negative - threshold : negative * threshold;
}

/* l */
WR_INLINE float wr_violation_loss(int pair_loss, float violation) {
    if (pair_loss == WR_HINGE) return violation > 0.0f ? violation : 0.0f;
    return wr_log2(1.0f + violation);
}

/* -l' times a weight */
WR_INLINE float wr_violation_gradient(int pair_loss, float violation, float weight) {
    if (pair_loss == WR_HINGE) return violation > 0.0f ? weight : 0.0f;
    return weight - weight / (1.0f + violation);
}

/* Replace the scores of negatives by 2^score, for the logistic loss. */
WR_INLINE void wr_exp2_inplace(float *scores, int64_t n) {
#pragma omp simd
    for (int64_t j = 0; j < n; j++) scores[j] = wr_exp2(scores[j]);
}

/* sum[i] = sum over negatives j of importance[j] * l, for four pairs i, which read the scores of the negatives once */
WR_INLINE void wr_sum_losses(
    int pair_loss, const float *scores, const float *importance, int64_t n, const float *threshold, float *sum
) {
    const float t0 = threshold[0], t1 = threshold[1], t2 = threshold[2], t3 = threshold[3];
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
    for (int64_t j = 0; j < n; j++) {
        a0 += importance[j] * wr_violation_loss(pair_loss, wr_violation(pair_loss, scores[j], t0));
        a1 += importance[j] * wr_violation_loss(pair_loss, wr_violation(pair_loss, scores[j], t1));
        a2 += importance[j] * wr_violation_loss(pair_loss, wr_violation(pair_loss, scores[j], t2));
        a3 += importance[j] * wr_violation_loss(pair_loss, wr_violation(pair_loss, scores[j], t3));
    }
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
}

/* sum[i] = sum over negatives j of importance[j] * weight[i] * -l', for four pairs i; negative_gradient[j] += their sum over i */
WR_INLINE void wr_sum_gradients(
    int pair_loss, const float *scores, const float *importance, int64_t n, const float *threshold, const float *weight,
    float *negative_gradient, float *sum
) {
    const float t0 = threshold[0], t1 = threshold[1], t2 = threshold[2], t3 = threshold[3];
    const float w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
    for (int64_t j = 0; j < n; j++) {
        const float g0 = wr_violation_gradient(pair_loss, wr_violation(pair_loss, scores[j], t0), w0);
        const float g1 = wr_violation_gradient(pair_loss, wr_violation(pair_loss, scores[j], t1), w1);
        const float g2 = wr_violation_gradient(pair_loss, wr_violation(pair_loss, scores[j], t2), w2);
        const float g3 = wr_violation_gradient(pair_loss, wr_violation(pair_loss, scores[j], t3), w3);
        a0 += importance[j] * g0, a1 += importance[j] * g1, a2 += importance[j] * g2, a3 += importance[j] * g3;
        negative_gradient[j] += importance[j] * ((g0 + g1) + (g2 + g3));
    }
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
}

#endif

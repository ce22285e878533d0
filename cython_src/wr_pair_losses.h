/* The pair losses of wr_losses.h over an array of negatives: in vectors of floats, for four pairs at a time.
 *
 * l(s_c - s_c') is a function of the violation, which measures how far the score of a negative c' exceeds the margin threshold of
 * the pair. Hinge: the threshold is s_c - 1 and the violation is s_c' - threshold. Logistic: negatives are stored as 2^s_c', the
 * threshold is 2^-s_c, and the violation is their product 2^(s_c' - s_c), so that no power is needed per pair and negative.
 */
#ifndef WR_PAIR_LOSSES_H
#define WR_PAIR_LOSSES_H

#include "wr_losses.h"
#include "wr_math.h"

/* The threshold that no negative exceeds */
#define WR_NO_VIOLATION(pair_loss) ((pair_loss) == WR_HINGE ? INFINITY : 0.0f)

WR_INLINE wr_lanes wr_margin_threshold(int pair_loss, wr_lanes score) {
    return pair_loss == WR_HINGE ? score - 1.0f : wr_exp2(-score);
}

WR_INLINE wr_lanes wr_violation(int pair_loss, wr_lanes negative, wr_lanes threshold) {
    return pair_loss == WR_HINGE ? negative - threshold : negative * threshold;
}

/* l */
WR_INLINE wr_lanes wr_violation_loss(int pair_loss, wr_lanes violation) {
    if (pair_loss == WR_HINGE) return wr_select(violation > 0.0f, violation, (wr_lanes){0});
    return wr_log2(1.0f + violation);
}

/* -l' times a weight */
WR_INLINE wr_lanes wr_violation_gradient(int pair_loss, wr_lanes violation, wr_lanes weight) {
    if (pair_loss == WR_HINGE) return wr_select(violation > 0.0f, weight, (wr_lanes){0});
    return weight - weight / (1.0f + violation);
}

/* Replace the scores of negatives by 2^score, for the logistic loss. Arrays of negatives have room for a multiple of 16 (and importance
 * 0 behind the last), so that these functions need no remainder loops.
 */
WR_INLINE void wr_exp2_inplace(float *scores, int64_t n) {
    for (int64_t j = 0; j < n; j += WR_LANES) WR_AT(scores, j) = wr_exp2(WR_READ(scores, j));
}

/* sum[i] = sum over negatives j of importance[j] * l, for four pairs i, which read the scores of the negatives once */
WR_INLINE void wr_sum_losses(
    int pair_loss, const float *scores, const float *importance, int64_t n, const float *threshold, float *sum
) {
    wr_lanes total[4] = {{0}};
    for (int64_t j = 0; j < n; j += WR_LANES)
        for (int i = 0; i < 4; i++) {
            const wr_lanes violation = wr_violation(pair_loss, WR_READ(scores, j), WR_SPLAT(threshold[i]));
            total[i] = wr_fma(WR_READ(importance, j), wr_violation_loss(pair_loss, violation), total[i]);
        }
    for (int i = 0; i < 4; i++) sum[i] = wr_sum_lanes(total[i]);
}

/* sum[i] = sum over negatives j of importance[j] * weight[i] * -l', for four pairs i; negative_gradient[j] += their sum over i */
WR_INLINE void wr_sum_gradients(
    int pair_loss, const float *scores, const float *importance, int64_t n, const float *threshold, const float *weight,
    float *negative_gradient, float *sum
) {
    wr_lanes total[4] = {{0}};
    for (int64_t j = 0; j < n; j += WR_LANES) {
        wr_lanes g[4];
        for (int i = 0; i < 4; i++) {
            const wr_lanes violation = wr_violation(pair_loss, WR_READ(scores, j), WR_SPLAT(threshold[i]));
            g[i] = wr_violation_gradient(pair_loss, violation, WR_SPLAT(weight[i]));
            total[i] = wr_fma(WR_READ(importance, j), g[i], total[i]);
        }
        WR_AT(negative_gradient, j) =
            wr_fma(WR_READ(importance, j), (g[0] + g[1]) + (g[2] + g[3]), WR_READ(negative_gradient, j));
    }
    for (int i = 0; i < 4; i++) sum[i] = wr_sum_lanes(total[i]);
}

#endif

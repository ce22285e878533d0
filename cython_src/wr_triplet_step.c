/* The floating-point work of one triplet. */
#include "wr_triplet_step.h"
#include "wr_lanes.h"

float WR_KERNEL(wr_margin)(const float *u, const float *v, const float *v_neg, int64_t size) {
    const int64_t whole = size - size % WR_LANES;
    wr_lanes lanes = {0};
    for (int64_t d = 0; d < whole; d += WR_LANES) lanes = wr_fma(WR_READ(u, d), WR_READ(v, d) - WR_READ(v_neg, d), lanes);
    float sum = wr_sum_lanes(lanes);
    for (int64_t d = whole; d < size; d++) sum += u[d] * (v[d] - v_neg[d]);
    return sum;
}

void WR_KERNEL(wr_apply_triplet_gradient)(
    float *u, float *v, float *v_neg, int64_t size, float gradient, double weight_decay, double r
) {
    const float decay_factor = (float)(1.0 - weight_decay * r);
#pragma omp simd simdlen(WR_LANES)
    for (int64_t d = 0; d < size; d++) {
        const float old_u = u[d], old_v = v[d], old_neg = v_neg[d];
        u[d] = decay_factor * old_u - gradient * (old_v - old_neg);
        v[d] = decay_factor * old_v - gradient * old_u;
        v_neg[d] = old_neg + gradient * old_u;
    }
}

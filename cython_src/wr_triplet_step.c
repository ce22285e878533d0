/* The floating-point work of one triplet. */
#include "wr_triplet_step.h"

float WR_KERNEL(wr_margin)(const float *u, const float *v, const float *v_neg, int64_t size) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int64_t d = 0; d < size; d++) sum += u[d] * (v[d] - v_neg[d]);
    return sum;
}

double WR_KERNEL(wr_add_triplet_loss)(
    double loss, double r, double rho, double slope, double offset, double slope_per_rank, double pair_loss
) {
    return loss + r * (rho + slope * offset + slope_per_rank * pair_loss);
}

void WR_KERNEL(wr_apply_triplet_gradient)(
    float *u, float *v, float *v_neg, int64_t size, float gradient, double weight_decay, double r
) {
    const float decay_factor = (float)(1.0 - weight_decay * r);
    for (int64_t d = 0; d < size; d++) {
        const float old_u = u[d], old_v = v[d], old_neg = v_neg[d];
        u[d] = decay_factor * old_u - gradient * (old_v - old_neg);
        v[d] = decay_factor * old_v - gradient * old_u;
        v_neg[d] = old_neg + gradient * old_u;
    }
}

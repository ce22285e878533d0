/* The floating-point work of one triplet (w, c, c'), compiled for each CPU level. _triplets.pyx is the algorithm. */
#ifndef WR_TRIPLET_STEP_H
#define WR_TRIPLET_STEP_H

#include "wr_dispatch.h"

/* <u_w, v_c - v_c'> */
WR_CLONES static float wr_margin(const float *u, const float *v, const float *v_neg, int64_t size) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int64_t d = 0; d < size; d++) sum += u[d] * (v[d] - v_neg[d]);
    return sum;
}

/* loss + r (rho + rho' (beta / alpha - 1 / xi) + rho' (|C| - 1) / alpha * l), in the rounding of the CPU level */
WR_CLONES static double wr_add_triplet_loss(
    double loss, double r, double rho, double slope, double offset, double slope_per_rank, double pair_loss
) {
    return loss + r * (rho + slope * offset + slope_per_rank * pair_loss);
}

/* Lines 8 to 10 of Algorithm 1, executed simultaneously: every right-hand side is an old value. L2 shrinks u_w and v_c. */
WR_CLONES static void wr_apply_triplet_gradient(
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

#endif

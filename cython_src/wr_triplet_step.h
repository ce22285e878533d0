/* The floating-point work of one triplet (w, c, c'), compiled for each CPU level (wr_triplet_step.c). _triplets.pyx is the algorithm. */
#ifndef WR_TRIPLET_STEP_H
#define WR_TRIPLET_STEP_H

#include "wr_dispatch.h"

/* <u_w, v_c - v_c'> */
WR_DISPATCH(float, wr_margin, (const float *u, const float *v, const float *v_neg, int64_t size), (u, v, v_neg, size))

/* Lines 8 to 10 of Algorithm 1, executed simultaneously: every right-hand side is an old value. L2 shrinks u_w and v_c. */
WR_DISPATCH(
    void, wr_apply_triplet_gradient,
    (float *u, float *v, float *v_neg, int64_t size, float gradient, double weight_decay, double r),
    (u, v, v_neg, size, gradient, weight_decay, r))

#endif

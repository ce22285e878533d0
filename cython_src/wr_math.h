/* log2 and exp2 of vectors: no branches, no calls; relative error below 3e-7. */
#ifndef WR_MATH_H
#define WR_MATH_H

#include "wr_lanes.h"

/* c[0] + x (c[1] + x (c[2] + ...)) */
WR_INLINE wr_lanes wr_polynomial(const float *c, int degree, wr_lanes x) {
    wr_lanes sum = WR_SPLAT(c[degree]);
    for (int i = degree - 1; i >= 0; i--) sum = wr_fma(x, sum, WR_SPLAT(c[i]));
    return sum;
}

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)); log2(m) = (m - 1) p(m - 1), where p has degree 8 and interpolates at
 * Chebyshev nodes. For normal x > 0; infinity gives 128.
 */
WR_INLINE wr_lanes wr_log2(wr_lanes x) {
    static const float p[] = {1.4426950f,  -0.72134733f, 0.48091060f,  -0.36070484f, 0.28791833f,
                              -0.23892035f, 0.21566986f,  -0.20742103f, 0.12614846f};
    const wr_lane_ints bits = (wr_lane_ints)x, e = (bits - 0x3f3504f3) >> 23;
    const wr_lanes m = (wr_lanes)(bits - (e << 23)) - 1.0f;
    return wr_fma(m, wr_polynomial(p, 8, m), __builtin_convertvector(e, wr_lanes));
}

/* 2^x = 2^round(x) times the series of exp of the remainder. x is clamped to [-126, 126], NaN too: it has no integer value, and
 * a diverged model is detected by its vectors.
 */
WR_INLINE wr_lanes wr_exp2(wr_lanes x) {
    static const float series[] = {1.0f,          0.69314718f,   0.24022651f,  0.055504109f,
                                   0.0096181291f, 0.0013333558f, 0.00015403530f};
    x = wr_select(x > -126.0f, x, WR_SPLAT(-126.0f));
    x = wr_select(x < 126.0f, x, WR_SPLAT(126.0f));
    const wr_lanes n = (x + 12582912.0f) - 12582912.0f; /* nearest integer: adding 1.5 * 2^23 drops the fraction */
    const wr_lane_ints scale = (__builtin_convertvector(n, wr_lane_ints) + 127) << 23;
    return wr_polynomial(series, 6, x - n) * (wr_lanes)scale;
}

#endif

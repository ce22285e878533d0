/* log2 and exp2 that a compiler can vectorize: no branches, no calls; relative error below 3e-7. */
#ifndef WR_MATH_H
#define WR_MATH_H

#include <math.h>
#include <stdint.h>

typedef union {
    float f;
    int32_t i;
} wr_bits;

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)); log2(m) = (m - 1) p(m - 1), where p has degree 8 and interpolates at
 * Chebyshev nodes. For normal x > 0; infinity gives 128.
 */
static inline float wr_log2(float x) {
    wr_bits b = {.f = x};
    int32_t e = (b.i - 0x3f3504f3) >> 23;
    b.i -= (int32_t)((uint32_t)e << 23);
    float m = b.f - 1.0f;
    float series = 1.4426950f + m * (-0.72134733f + m * (0.48091060f + m * (-0.36070484f + m * (0.28791833f
                 + m * (-0.23892035f + m * (0.21566986f + m * (-0.20742103f + m * 0.12614846f)))))));
    return (float)e + m * series;
}

/* 2^x = 2^round(x) times the series of exp of the remainder. x is clamped to [-126, 126], NaN too: it has no integer value, and
 * a diverged model is detected by its vectors.
 */
static inline float wr_exp2(float x) {
    x = x > -126.0f ? x : -126.0f;
    x = x < 126.0f ? x : 126.0f;
    float n = (x + 12582912.0f) - 12582912.0f; /* nearest integer: adding 1.5 * 2^23 drops the fraction */
    float f = x - n;
    float series = 1.0f + f * (0.69314718f + f * (0.24022651f + f * (0.055504109f
                 + f * (0.0096181291f + f * (0.0013333558f + f * 0.00015403530f)))));
    wr_bits scale = {.i = ((int32_t)n + 127) * (1 << 23)};
    return series * scale.f;
}

#endif

/* log2 and exp2 that a compiler can vectorise: no branches, no calls; relative error below 3e-7. */
#ifndef WR_MATH_H
#define WR_MATH_H

#include <math.h>
#include <stdint.h>

typedef union {
    float f;
    int32_t i;
} wr_bits;

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)); log2(m) by the series of artanh(s), s = (m - 1) / (m + 1). For x > 0, normal. */
static inline float wr_log2(float x) {
    wr_bits b = {.f = x};
    int32_t e = (b.i - 0x3f3504f3) >> 23;
    b.i -= (int32_t)((uint32_t)e << 23);
    float s = (b.f - 1.0f) / (b.f + 1.0f), q = s * s;
    float series = 2.8853901f + q * (0.9617967f + q * (0.57707802f + q * (0.41219858f + q * 0.32059890f)));
    return (float)e + s * series;
}

/* 2^x by 2^round(x) and the series of exp on what is left; x is held to [-126, 126], where NaN ends up too: it could not be
 * made an integer, and a diverged model is known by its vectors
 */
static inline float wr_exp2(float x) {
    x = x > -126.0f ? x : -126.0f;
    x = x < 126.0f ? x : 126.0f;
    float n = (x + 12582912.0f) - 12582912.0f; /* nearest integer: 1.5 * 2^23 pushes the fraction out */
    float f = x - n;
    float series = 1.0f + f * (0.69314718f + f * (0.24022651f + f * (0.055504109f
                 + f * (0.0096181291f + f * (0.0013333558f + f * 0.00015403530f)))));
    wr_bits scale = {.i = ((int32_t)n + 127) * (1 << 23)};
    return series * scale.f;
}

#endif

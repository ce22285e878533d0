/* Vectors of floats as wide as a register of the CPU level: arithmetic, dot products and transposes of rows, whose stride is a
 * multiple of WR_ROW_FLOATS.
 *
 * The order of sums and which products are fused with them is written out here and in the kernels, so that all compilers give the
 * same bytes. They are not free to choose: -ffp-contract=off, no -ffast-math.
 */
#ifndef WR_LANES_H
#define WR_LANES_H

#include "wr_dispatch.h"

#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { WR_LANES = 16 };
#elif defined(__AVX__)
enum { WR_LANES = 8 };
#else /* SSE, NEON */
enum { WR_LANES = 4 };
#endif

typedef float wr_lanes __attribute__((vector_size(4 * WR_LANES), aligned(4)));
typedef int32_t wr_lane_ints __attribute__((vector_size(4 * WR_LANES)));
#define WR_SPLAT(x) ((x) - (wr_lanes){0}) /* x in all lanes */
#define WR_AT(row, d) (*(wr_lanes *)((row) + (d)))
#define WR_READ(row, d) (*(const wr_lanes *)((row) + (d)))
#ifdef __clang__
#define WR_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define WR_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (wr_lane_ints){__VA_ARGS__})
#endif

/* a b + c, rounded once on levels with fused multiply-add and twice on others */
WR_INLINE wr_lanes wr_fma(wr_lanes a, wr_lanes b, wr_lanes c) {
#if defined(__AVX512F__)
    return (wr_lanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (wr_lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (wr_lanes)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* a where the condition is -1, b where it is 0 */
WR_INLINE wr_lanes wr_select(wr_lane_ints condition, wr_lanes a, wr_lanes b) {
    return (wr_lanes)((condition & (wr_lane_ints)a) | (~condition & (wr_lane_ints)b));
}

/* The lower and the upper halves of two vectors, interleaved */
#if defined(__AVX512F__)
#define WR_LOW(a, b) WR_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define WR_HIGH(a, b) WR_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif defined(__AVX__)
#define WR_LOW(a, b) WR_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define WR_HIGH(a, b) WR_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define WR_LOW(a, b) WR_SHUFFLE(a, b, 0, 4, 1, 5)
#define WR_HIGH(a, b) WR_SHUFFLE(a, b, 2, 6, 3, 7)
#endif

/* The sum of all lanes, by halves */
WR_INLINE float wr_sum_lanes(wr_lanes x) {
#if defined(__AVX512F__)
    x += WR_SHUFFLE(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    x += WR_SHUFFLE(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    x += WR_SHUFFLE(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
#elif defined(__AVX__)
    x += WR_SHUFFLE(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    x += WR_SHUFFLE(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
#else
    x += WR_SHUFFLE(x, x, 2, 3, 0, 1);
#endif
    return x[0] + x[1];
}

WR_INLINE float wr_dot(const float *a, const float *b, int64_t stride) {
    wr_lanes sum = {0};
    for (int64_t d = 0; d < stride; d += WR_LANES) sum = wr_fma(WR_READ(a, d), WR_READ(b, d), sum);
    return wr_sum_lanes(sum);
}

/* Interleave rows r and r + WR_LANES / 2 of a matrix into rows 2r and 2r + 1. */
WR_INLINE void wr_interleave_rows(const wr_lanes *a, wr_lanes *b) {
    for (int r = 0; r < WR_LANES / 2; r++) {
        b[2 * r] = WR_LOW(a[r], a[r + WR_LANES / 2]);
        b[2 * r + 1] = WR_HIGH(a[r], a[r + WR_LANES / 2]);
    }
}

/* Transpose a square matrix of WR_LANES rows: to[i][j] = from[j][i]. The position (row, lane) of an element has 2 log2(WR_LANES) bits.
 * Each of log2(WR_LANES) rounds rotates them by one.
 */
WR_INLINE void wr_transpose_square(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
    wr_lanes a[WR_LANES], b[WR_LANES];
    for (int r = 0; r < WR_LANES; r++) a[r] = WR_READ(from, r * from_stride);
    for (int size = WR_LANES; size > 1; size /= 4) {
        wr_interleave_rows(a, b);
        if (size > 2) wr_interleave_rows(b, a);
    }
    const wr_lanes *done = WR_LANES == 8 ? b : a; /* three rounds, not two or four */
    for (int r = 0; r < WR_LANES; r++) WR_AT(to, r * to_stride) = done[r];
}

/* Transpose a 16 x 16 matrix. */
WR_INLINE void wr_transpose16(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
    for (int i = 0; i < 16; i += WR_LANES)
        for (int j = 0; j < 16; j += WR_LANES)
            wr_transpose_square(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
}

#endif

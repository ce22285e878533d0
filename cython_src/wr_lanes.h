/* Sixteen floats at a time: sums, dot products and transposes of rows whose stride is a multiple of 16. */
#ifndef WR_LANES_H
#define WR_LANES_H

#include "wr_dispatch.h"

enum { WR_LANES = 16 };

/* 16 floats, which the compiler splits into the registers of the CPU level */
typedef float wr_lanes __attribute__((vector_size(4 * WR_LANES), aligned(4)));
#define WR_AT(row, d) (*(wr_lanes *)((row) + (d)))
#define WR_READ(row, d) (*(const wr_lanes *)((row) + (d)))
#ifdef __clang__
#define WR_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t wr_lane_indices __attribute__((vector_size(4 * WR_LANES)));
#define WR_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (wr_lane_indices){__VA_ARGS__})
#endif

WR_INLINE float wr_sum_lanes(wr_lanes x) {
    x += WR_SHUFFLE(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    x += WR_SHUFFLE(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    x += WR_SHUFFLE(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    return x[0] + x[1];
}

WR_INLINE float wr_dot(const float *a, const float *b, int64_t stride) {
    wr_lanes sum = {0};
    for (int64_t d = 0; d < stride; d += WR_LANES) sum += WR_READ(a, d) * WR_READ(b, d);
    return wr_sum_lanes(sum);
}

/* Transpose a 16 x 16 matrix: to[i][j] = from[j][i]. An element's position (row, lane) has eight bits. Each of the four rounds
 * rotates them by one: it interleaves rows r and r + 8 into rows 2r and 2r + 1.
 */
WR_INLINE void wr_transpose16(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
    wr_lanes a[WR_LANES], b[WR_LANES];
    for (int r = 0; r < WR_LANES; r++) a[r] = WR_READ(from, r * from_stride);
    for (int round = 0; round < 2; round++) {
        for (int r = 0; r < 8; r++) {
            b[2 * r] = WR_SHUFFLE(a[r], a[r + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            b[2 * r + 1] = WR_SHUFFLE(a[r], a[r + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        for (int r = 0; r < 8; r++) {
            a[2 * r] = WR_SHUFFLE(b[r], b[r + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            a[2 * r + 1] = WR_SHUFFLE(b[r], b[r + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
    }
    for (int r = 0; r < WR_LANES; r++) WR_AT(to, r * to_stride) = a[r];
}

#endif

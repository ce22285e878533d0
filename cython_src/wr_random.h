/* The kernels' random numbers: SplitMix64, with a 64-bit state that the caller seeds.
 * Seeds of different cells come from numpy.random.SeedSequence, so that their streams are independent.
 */
#ifndef WR_RANDOM_H
#define WR_RANDOM_H

#include <stdint.h>

static inline uint64_t wr_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/* Uniform in 0 .. bound - 1; the bias is below bound / 2^64. */
static inline int64_t wr_random_below(uint64_t *state, int64_t bound) {
    return (int64_t)(((unsigned __int128)wr_random(state) * (uint64_t)bound) >> 64);
}

#endif

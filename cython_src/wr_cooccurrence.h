/* Counting co-occurrences a row at a time.
 *
 * A text is one array of word ids, every sentence followed by -1 (and a -1 in front), so a window ends where it meets one.
 * (a) One point is one row of X: all positions of a word, in text order, with their windows.
 * (b) Rows are independent: any thread may do any of them, and the sums come out the same.
 * (c) The lengths of all rows are found first, so the matrix is written straight into its final place.
 */
#ifndef WR_COOCCURRENCE_H
#define WR_COOCCURRENCE_H

#include "wr_dispatch.h"

typedef struct {
    const int32_t *ids; /* the text */
    int64_t window;
    int symmetric;        /* else only words before the centre */
    const double *weight; /* [window + 1] of a distance */
    uint64_t *seen;       /* [n_words / 64 + 1] all zero between calls */
    double *sum;          /* [n_words] all zero between calls */
    int64_t n_masks;
} wr_counter;

static inline void wr_see(wr_counter *k, int32_t c, int64_t distance, int with_sums) {
    k->seen[c >> 6] |= 1ULL << (c & 63);
    if (with_sums) k->sum[c] += k->weight[distance];
}

/* Go through the windows of all positions of one word. */
static inline void wr_count_row(wr_counter *k, const uint32_t *positions, int64_t n_positions, int with_sums) {
    for (int64_t i = 0; i < n_positions; i++) {
        const int32_t *centre = k->ids + positions[i];
        for (int64_t d = 1; d <= k->window && centre[-d] >= 0; d++) wr_see(k, centre[-d], d, with_sums);
        if (!k->symmetric) continue;
        for (int64_t d = 1; d <= k->window && centre[d] >= 0; d++) wr_see(k, centre[d], d, with_sums);
    }
}

/* Number of different contexts of the word. */
WR_CLONES static int64_t wr_row_length(wr_counter *k, const uint32_t *positions, int64_t n_positions) {
    int64_t length = 0;
    wr_count_row(k, positions, n_positions, 0);
    for (int64_t m = 0; m < k->n_masks; m++) {
        length += __builtin_popcountll(k->seen[m]);
        k->seen[m] = 0;
    }
    return length;
}

/* Write the row, columns rising; leave the counter clean. */
WR_CLONES static void wr_row_values(
    wr_counter *k, const uint32_t *positions, int64_t n_positions, int32_t *columns, float *values
) {
    wr_count_row(k, positions, n_positions, 1);
    for (int64_t m = 0; m < k->n_masks; m++) {
        for (uint64_t mask = k->seen[m]; mask; mask &= mask - 1) {
            int32_t c = (int32_t)(m * 64 + __builtin_ctzll(mask));
            *columns++ = c;
            *values++ = (float)k->sum[c];
            k->sum[c] = 0.0;
        }
        k->seen[m] = 0;
    }
}

#endif

/* Reading off a row of the co-occurrence matrix, in order of columns. */
#include <string.h>

#include "wr_cooccurrence.h"

/* Return columns 64 m to 64 m + 63 as bits, and clear them. One byte per column is stored, not one bit: updates of frequent
 * columns would wait for each other in one machine word.
 */
WR_INLINE uint64_t wr_take_mask(wr_row *row, int64_t m) {
    uint64_t word[8], any = 0, mask = 0;
    memcpy(word, row->seen + 64 * m, 64);
    for (int j = 0; j < 8; j++) any |= word[j];
    if (!any) return 0;
    /* the product moves the lowest bit of byte i to bit 56 + i */
    for (int j = 0; j < 8; j++) mask |= (word[j] * 0x0102040810204080ULL >> 56) << 8 * j;
    memset(row->seen + 64 * m, 0, 64);
    return mask;
}

int64_t WR_KERNEL(wr_take_length)(wr_row *row) {
    int64_t length = 0;
    for (int64_t m = 0; m < row->n_masks; m++) length += __builtin_popcountll(wr_take_mask(row, m));
    return length;
}

int WR_KERNEL(wr_take_row)(wr_row *row, int64_t capacity, int32_t *columns, uint64_t *sums) {
    for (int64_t m = 0; m < row->n_masks; m++) {
        uint64_t mask = wr_take_mask(row, m);
        capacity -= __builtin_popcountll(mask);
        for (; mask; mask &= mask - 1) {
            int32_t c = (int32_t)(m * 64 + __builtin_ctzll(mask));
            if (capacity >= 0) {
                *columns++ = c;
                *sums++ = row->sum[c];
            }
            row->sum[c] = 0;
        }
    }
    return capacity == 0;
}

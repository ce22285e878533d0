/* One row of the co-occurrence matrix while it is counted: columns and sums are added in any order and read off
 * sorted (wr_cooccurrence.c). */
#ifndef WR_COOCCURRENCE_H
#define WR_COOCCURRENCE_H

#include "wr_dispatch.h"

typedef struct {
    uint8_t *seen; /* [64 * n_masks] 1 for the columns of the row, all zero between rows */
    uint64_t *sum; /* [64 * n_masks] all zero between rows */
    int64_t n_masks;
} wr_row;

/* Return the number of columns, and clear them. */
WR_DISPATCH(int64_t, wr_take_length, (wr_row *row), (row))

/* Write the row, in order of columns, up to `capacity` entries, and clear it; return whether its length is the capacity. */
WR_DISPATCH(int, wr_take_row, (wr_row *row, int64_t capacity, int32_t *columns, uint64_t *sums), (row, capacity, columns, sums))

#endif

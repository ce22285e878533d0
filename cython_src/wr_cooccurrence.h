/* Counting co-occurrences a row at a time.
 *
 * (a) One point is one row of X. It comes from the windows around all places of a word in a text (wr_see_windows), or from
 *     rows that were counted on parts of the text before (wr_see_runs).
 * (b) Weights are whole numbers of a unit, so sums are exact: whatever the order and the parts, the same bytes come out.
 * (c) Rows are independent: any thread may do any of them. The lengths of rows are found first, so the matrix is written
 *     straight into its final place.
 *
 * A text is one array of word ids, every sentence followed by -1 (and a -1 in front), so a window ends where it meets one.
 */
#ifndef WR_COOCCURRENCE_H
#define WR_COOCCURRENCE_H

#include <string.h>

#include "wr_dispatch.h"

typedef struct {
    uint8_t *seen; /* [64 * n_masks] 1 for a column that was seen, all zero between rows */
    uint64_t *sum; /* [64 * n_masks] all zero between rows */
    int64_t n_masks;
} wr_row;

/* windows that are fetched from memory before their turn: they lie anywhere in the text */
enum { WR_AHEAD = 8 };

typedef struct {
    const int32_t *ids;       /* the text */
    const int64_t *starts;    /* [n_rows + 1] where the places of each word begin */
    const int64_t *positions; /* its places, and WR_AHEAD more entries behind the last */
    const uint64_t *weight;   /* [window + 1] of a distance */
    int64_t window;
    int symmetric; /* else only words before the centre */
} wr_windows;

typedef struct {
    int64_t n_runs;
    const int64_t *starts; /* [n_runs][stride] where each row of each run begins */
    int64_t stride;
    const int32_t *columns;
    const uint64_t *sums;
} wr_runs;

/* A byte a column, for frequent columns would wait for each other in the bits of one word. */
static inline void wr_see(wr_row *row, int32_t c, uint64_t weight, int with_sums) {
    row->seen[c] = 1;
    if (with_sums) row->sum[c] += weight;
}

/* Columns 64 m to 64 m + 63 as bits; forget them. */
static inline uint64_t wr_row_mask(wr_row *row, int64_t m) {
    uint64_t word[8], any = 0, mask = 0;
    memcpy(word, row->seen + 64 * m, 64);
    for (int j = 0; j < 8; j++) any |= word[j];
    if (!any) return 0;
    /* the product moves the lowest bit of byte i to bit 56 + i */
    for (int j = 0; j < 8; j++) mask |= (word[j] * 0x0102040810204080ULL >> 56) << 8 * j;
    memset(row->seen + 64 * m, 0, 64);
    return mask;
}

static inline void wr_see_windows(wr_row *row, const wr_windows *w, int64_t i, int with_sums) {
    for (int64_t p = w->starts[i]; p < w->starts[i + 1]; p++) {
        const int32_t *centre = w->ids + w->positions[p], *ahead = w->ids + w->positions[p + WR_AHEAD];
        __builtin_prefetch(ahead - w->window);
        __builtin_prefetch(ahead);
        __builtin_prefetch(ahead + w->window);
        for (int64_t d = 1; d <= w->window && centre[-d] >= 0; d++) wr_see(row, centre[-d], w->weight[d], with_sums);
        if (!w->symmetric) continue;
        for (int64_t d = 1; d <= w->window && centre[d] >= 0; d++) wr_see(row, centre[d], w->weight[d], with_sums);
    }
}

static inline void wr_see_runs(wr_row *row, const wr_runs *r, int64_t i, int with_sums) {
    for (int64_t run = 0; run < r->n_runs; run++) {
        const int64_t *starts = r->starts + run * r->stride;
        for (int64_t p = starts[i]; p < starts[i + 1]; p++) wr_see(row, r->columns[p], r->sums[p], with_sums);
    }
}

/* What rows are made from: one of the two */
typedef struct {
    const wr_windows *windows;
    const wr_runs *runs;
} wr_source;

static inline void wr_see_source(wr_row *row, const wr_source *source, int64_t i, int with_sums) {
    if (source->windows)
        wr_see_windows(row, source->windows, i, with_sums);
    else
        wr_see_runs(row, source->runs, i, with_sums);
}

/* Number of columns seen; forget them. */
static inline int64_t wr_row_length(wr_row *row) {
    int64_t length = 0;
    for (int64_t m = 0; m < row->n_masks; m++) length += __builtin_popcountll(wr_row_mask(row, m));
    return length;
}

/* Write the row, columns rising, as far as there is room; forget it. Return whether it was as long as its room. */
static inline int wr_row_write(wr_row *row, int64_t room, int32_t *columns, uint64_t *sums) {
    for (int64_t m = 0; m < row->n_masks; m++) {
        uint64_t mask = wr_row_mask(row, m);
        room -= __builtin_popcountll(mask);
        for (; mask; mask &= mask - 1) {
            int32_t c = (int32_t)(m * 64 + __builtin_ctzll(mask));
            if (room >= 0) {
                *columns++ = c;
                *sums++ = row->sum[c];
            }
            row->sum[c] = 0;
        }
    }
    return room == 0;
}

/* Write the places of the words first to first + n - 1 of a text, in order; return how many. `places` has room for one more. */
WR_CLONES static int64_t wr_places(const int32_t *ids, int64_t length, uint32_t first, uint32_t n, int64_t *places) {
    int64_t found = 0;
    for (int64_t i = 0; i < length; i++) {
        places[found] = i; /* without a branch that could be mispredicted */
        found += (uint32_t)ids[i] - first < n;
    }
    return found;
}

/* Whether n rows begin one behind the other */
static inline int wr_rises(const int64_t *indptr, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (indptr[i] > indptr[i + 1]) return 0;
    return 1;
}

WR_CLONES static void wr_lengths(wr_row *row, const wr_source *source, int64_t n_rows, int64_t *lengths) {
    for (int64_t i = 0; i < n_rows; i++) {
        wr_see_source(row, source, i, 0);
        lengths[i] = wr_row_length(row);
    }
}

/* Write rows one behind the other; return whether each was as long as indptr says. */
WR_CLONES static int wr_sums(
    wr_row *row, const wr_source *source, int64_t first, int64_t n_rows, const int64_t *indptr, int32_t *columns, uint64_t *sums
) {
    int fits = 1;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t start = indptr[i] - indptr[0];
        wr_see_source(row, source, first + i, 1);
        fits &= wr_row_write(row, indptr[i + 1] - indptr[i], columns + start, sums + start);
    }
    return fits;
}

#endif

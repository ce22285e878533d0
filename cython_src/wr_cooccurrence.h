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

#include "wr_dispatch.h"

typedef struct {
    uint64_t *seen; /* [n_words / 64 + 1] a bit a column, all zero between rows */
    uint64_t *sum;  /* [n_words] all zero between rows */
    int64_t n_masks;
} wr_row;

typedef struct {
    const int32_t *ids;       /* the text */
    const int64_t *starts;    /* [n_rows + 1] where the places of each word begin */
    const int64_t *positions; /* its places */
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

static inline void wr_see(wr_row *row, int32_t c, uint64_t weight, int with_sums) {
    row->seen[c >> 6] |= 1ULL << (c & 63);
    if (with_sums) row->sum[c] += weight;
}

static inline void wr_see_windows(wr_row *row, const wr_windows *w, int64_t i, int with_sums) {
    for (int64_t p = w->starts[i]; p < w->starts[i + 1]; p++) {
        const int32_t *centre = w->ids + w->positions[p];
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

/* Number of columns seen; forget them. */
static inline int64_t wr_row_length(wr_row *row) {
    int64_t length = 0;
    for (int64_t m = 0; m < row->n_masks; m++) {
        length += __builtin_popcountll(row->seen[m]);
        row->seen[m] = 0;
    }
    return length;
}

/* Write the row, columns rising; forget it. */
static inline void wr_row_write(wr_row *row, int32_t *columns, uint64_t *sums) {
    for (int64_t m = 0; m < row->n_masks; m++) {
        for (uint64_t mask = row->seen[m]; mask; mask &= mask - 1) {
            int32_t c = (int32_t)(m * 64 + __builtin_ctzll(mask));
            *columns++ = c;
            *sums++ = row->sum[c];
            row->sum[c] = 0;
        }
        row->seen[m] = 0;
    }
}

WR_CLONES static void wr_window_lengths(wr_row *row, const wr_windows *w, int64_t n_rows, int64_t *lengths) {
    for (int64_t i = 0; i < n_rows; i++) {
        wr_see_windows(row, w, i, 0);
        lengths[i] = wr_row_length(row);
    }
}

WR_CLONES static void wr_window_sums(
    wr_row *row, const wr_windows *w, int64_t first, int64_t n_rows, const int64_t *indptr, int32_t *columns, uint64_t *sums
) {
    for (int64_t i = 0; i < n_rows; i++) {
        wr_see_windows(row, w, first + i, 1);
        wr_row_write(row, columns + indptr[i] - indptr[0], sums + indptr[i] - indptr[0]);
    }
}

WR_CLONES static void wr_run_lengths(wr_row *row, const wr_runs *r, int64_t n_rows, int64_t *lengths) {
    for (int64_t i = 0; i < n_rows; i++) {
        wr_see_runs(row, r, i, 0);
        lengths[i] = wr_row_length(row);
    }
}

WR_CLONES static void wr_run_sums(
    wr_row *row, const wr_runs *r, int64_t first, int64_t n_rows, const int64_t *indptr, int32_t *columns, uint64_t *sums
) {
    for (int64_t i = 0; i < n_rows; i++) {
        wr_see_runs(row, r, first + i, 1);
        wr_row_write(row, columns + indptr[i] - indptr[0], sums + indptr[i] - indptr[0]);
    }
}

#endif

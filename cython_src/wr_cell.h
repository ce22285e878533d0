/* One cell of Algorithm 2: a block of words x a block of contexts (wr_cell.c). */
#ifndef WR_CELL_H
#define WR_CELL_H

#include "wr_negatives.h"

enum { WR_GROUP = 16 }; /* tasks that share negatives */

typedef struct {
    const wr_options *options;
    float *words, *word_accumulator;
    float *contexts, *context_accumulator;
    int64_t n_words, n_contexts, stride; /* of this block; the stride is a multiple of WR_ROW_FLOATS */
    const wr_pair *pairs;                /* sampled pairs, word by word */
    const float *pair_xi;                /* and the stored xi of each, or NULL */
    const uint16_t *sizes;               /* and how many each word has */
    float weight_scale; /* of their weights */
    wr_negative_sampler sampler;
} wr_cell;

/* Up to WR_TASK_PAIRS pairs of one word */
typedef struct {
    int32_t row, n_pairs;
    int64_t first; /* of its pairs */
} wr_task;

/* Floats of scratch memory that wr_run_cell needs */
static inline int64_t wr_workspace_size(int64_t stride) { return (3 * WR_GROUP + 4) * stride; }

/* Train a cell on its sampled pairs; return the sum of weight * rho over them. `tasks` is scratch memory for all tasks. */
WR_DISPATCH(double, wr_run_cell, (wr_cell *cell, wr_task *tasks, float *workspace, uint64_t *random),
            (cell, tasks, workspace, random))

#endif

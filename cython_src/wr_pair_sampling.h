/* Sampling the pairs of a block of words for some blocks of contexts (wr_pair_sampling.c). */
#ifndef WR_PAIR_SAMPLING_H
#define WR_PAIR_SAMPLING_H

#include <math.h>

#include "wr_dispatch.h"

/* Parameters of one epoch of the sampled solver */
typedef struct {
    float draws_per_weight; /* expected draws of a pair of weight 1 */
    float x_max, epsilon;   /* r = min(1, (X / x_max)^epsilon); epsilon = 0 gives r = 1 */
    int rank_loss, pair_loss;
    float t, rank_scale, rank_offset; /* the paper's t, alpha and beta */
    float sharpness;                  /* gradients use rho'((sharpness * rank + beta) / alpha): 1, or more to favor the top */
    float gradient_scale;             /* factor of rho' in gradients */
    float l2, learning_rate;
    float bias;  /* the coordinate of U behind the vector: 1, or 0 for scores without biases */
    int adagrad; /* divide learning_rate by the root of each row's accumulator */
    int64_t vector_size; /* also the index of the bias coordinate */
    int64_t n_contexts;  /* |C|, over all blocks */
    int64_t n_negatives; /* S; a block with fewer contexts uses all of them */
} wr_options;

/* The weight w of a sampled pair is stored as an integer, w * wr_weight_scale. Weights lie between 1 and draws_per_weight: 1 is
 * exact, others are within 1 part in 6,000.
 */
static inline float wr_weight_scale(const wr_options *o) {
    return floorf(65535.0f / (o->draws_per_weight > 1.0f ? o->draws_per_weight : 1.0f));
}

enum { WR_TASK_PAIRS = 16, WR_MAX_SLOTS = 65535 };

/* A sampled pair of a known word: the row of its context in the block, and its weight times wr_weight_scale */
typedef struct {
    uint16_t row, weight;
} wr_pair;

/* Where the next pair of a word and a slot goes; see wr_assign_to_tasks */
typedef struct {
    int64_t start, n_tasks, length, longer, task, round;
} wr_slot;

/* The blocks of contexts that pairs are sampled for are slots 0 .. n_slots - 1; contexts of other blocks have higher slots. */
typedef struct {
    const wr_options *options;
    int64_t n_words, n_contexts, n_slots;
    const int32_t *count_row; /* row of each word of the block in the counts */
    const int64_t *indptr;
    const int32_t *columns;
    const float *counts;
    const float *xi; /* stored for each count, or NULL */
    const float *word_factor, *context_factor; /* their product is the expected count of a pair */
    const uint16_t *slot_of;                   /* slot of each context */
    const int32_t *row_of;                     /* and its row in the block */
    uint32_t *offset;                          /* of each word's systematic sampling */
    /* scratch memory for the longest row */
    int32_t *pair;    /* candidates, then sampled pairs, as positions in the row */
    float *rate;      /* expected draws of each candidate, with room for a multiple of 16 */
    uint16_t *weight; /* of each sampled pair */
    wr_slot *slot;    /* [n_slots] */
} wr_pair_sampler;

/* The `n` sampled pairs of a word and a slot are split into this many tasks, of n / tasks pairs or one more. */
WR_INLINE int64_t wr_n_tasks(int64_t n) { return (n + WR_TASK_PAIRS - 1) / WR_TASK_PAIRS; }

/* Where the pairs of a task begin, if the first `longer` tasks have length + 1 pairs and the others `length` */
WR_INLINE int64_t wr_task_start(int64_t length, int64_t longer, int64_t task) {
    return length * task + (task < longer ? task : longer);
}

/* Sample the pairs of a block of words and write them word by word; of word i, sizes[slot * n_words + i] are in each slot. Their stored
 * xi, if any, go to the same places of pair_xi. Return 0 if a column is no context. */
WR_DISPATCH(
    int, wr_sample_pairs, (const wr_pair_sampler *s, wr_pair *pairs, float *pair_xi, uint16_t *sizes), (s, pairs, pair_xi, sizes))

#endif

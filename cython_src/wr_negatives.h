/* Negative sampling: the contexts c' of a block that the pairs of a group of words are ranked against. */
#ifndef WR_NEGATIVES_H
#define WR_NEGATIVES_H

#include "wr_dispatch.h"
#include "wr_pair_sampling.h"
#include "wr_random.h"

enum { WR_MAX_NEGATIVES = 256 };
enum { WR_ROW_FLOATS = 16 }; /* rows of vectors have a multiple of this many floats, one cache line */

/* A table holds each context of the block `weight` times, in random order; samples are read off it one after the other. */
typedef struct {
    const uint16_t *weight; /* [n_block] */
    uint16_t *table;        /* [n_table] rows of contexts */
    int64_t n_table, next;
    int64_t n_negatives; /* size of a sample */
    float importance;    /* importance weight of an entry whose context has weight 1 */
    int32_t *index_of;   /* [n_block] index of a context among the current negatives, or -1 */
} wr_negative_sampler;

/* The different contexts of a sample, padded to a multiple of 16 with entries of importance 0 */
typedef struct {
    int64_t n;
    float *v[WR_MAX_NEGATIVES], *accumulator[WR_MAX_NEGATIVES];
    float importance[WR_MAX_NEGATIVES]; /* how many contexts of C each one represents */
    int32_t row[WR_MAX_NEGATIVES];
    const int32_t *index_of;
} wr_negatives;

/* Fill and shuffle the table. c' is in the block of c with probability (n_block - 1) / (|C| - 1), and a sample then holds it
 * S * weight / n_table times on average; its importance weight is the inverse of the product.
 */
WR_INLINE void wr_fill_table(wr_negative_sampler *s, int64_t n_block, const wr_options *o, uint64_t *random) {
    s->n_table = s->next = 0;
    for (int64_t row = 0; row < n_block; row++) {
        s->index_of[row] = -1;
        for (int64_t i = 0; i < s->weight[row]; i++) s->table[s->n_table++] = (uint16_t)row;
    }
    for (int64_t i = s->n_table - 1; i > 0; i--) { /* Fisher-Yates */
        int64_t j = wr_random_below(random, i + 1);
        uint16_t swapped = s->table[i];
        s->table[i] = s->table[j];
        s->table[j] = swapped;
    }
    s->n_negatives = o->n_negatives < n_block ? o->n_negatives : n_block;
    s->importance =
        (float)((double)(o->n_contexts - 1) / ((double)n_block - 1.0) * (double)s->n_table / (double)s->n_negatives);
}

/* Read the next sample off the table. A context that occurs more than once gets the sum of its importance weights. */
WR_INLINE void wr_sample_negatives(
    wr_negative_sampler *s, float *contexts, float *context_accumulator, int64_t stride, wr_negatives *negatives
) {
    negatives->n = 0;
    for (int64_t i = 0; i < s->n_negatives; i++) {
        const int32_t row = s->table[s->next];
        s->next = s->next + 1 < s->n_table ? s->next + 1 : 0;
        if (s->index_of[row] < 0) {
            negatives->row[negatives->n] = row, negatives->importance[negatives->n] = 0.0f;
            s->index_of[row] = (int32_t)negatives->n++;
        }
        negatives->importance[s->index_of[row]] += s->importance / (float)s->weight[row];
    }
    int64_t n_padded = negatives->n;
    for (; n_padded % 16; n_padded++) negatives->row[n_padded] = 0, negatives->importance[n_padded] = 0.0f;
    for (int64_t j = 0; j < n_padded; j++) {
        negatives->v[j] = contexts + negatives->row[j] * stride;
        negatives->accumulator[j] = context_accumulator + negatives->row[j];
    }
    negatives->index_of = s->index_of;
}

/* Prefetch a part, one of n_parts, of the rows of the next sample. */
WR_INLINE void wr_prefetch_negatives(
    const wr_negative_sampler *s, int64_t part, int64_t n_parts, const float *contexts, int64_t stride
) {
    for (int64_t i = part * s->n_negatives / n_parts; i < (part + 1) * s->n_negatives / n_parts; i++) {
        const int64_t at = s->next + i < s->n_table ? s->next + i : s->next + i - s->n_table;
        for (int64_t d = 0; d < stride; d += WR_ROW_FLOATS) __builtin_prefetch(contexts + s->table[at] * stride + d);
    }
}

WR_INLINE void wr_clear_negatives(wr_negative_sampler *s, const wr_negatives *negatives) {
    for (int64_t j = 0; j < negatives->n; j++) s->index_of[negatives->row[j]] = -1;
}

#endif

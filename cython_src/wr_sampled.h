/* Stage 1 with sampled ranks: one cell (a block of words x a block of contexts) of Algorithm 2.
 *
 * Where Algorithm 1 takes one pair and one c' at a time, this takes up to WR_TASK_PAIRS pairs of a word and compares them all
 * with the same S sampled contexts:
 *   (a) pairs (w, c) are drawn in proportion to r_wc, so that hardly weighted ones cost nothing (wr_draw);
 *   (b) WR_GROUP words are scored against one sample by a small matrix product (wr_score);
 *   (c) rank and xi of a pair come fresh from these scores, and every violating c' takes part in the step (wr_compare);
 *   (d) every row has a step of its own, by the mean square of its past gradients (AdaGrad a row).
 *
 * A context has a bias: score(w, c) = <u_w, v_c> + b_c. It is stored as one more coordinate, `bias`, which is 1 in U; it takes
 * the frequency of contexts out of the vectors. Rows are `stride` floats apart, a multiple of 16, zero behind the bias.
 */
#ifndef WR_SAMPLED_H
#define WR_SAMPLED_H

#include <string.h>

#include "wr_dispatch.h"
#include "wr_losses.h"
#include "wr_math.h"
#include "wr_random.h"

enum { WR_LANES = 16, WR_GROUP = 16, WR_TASK_PAIRS = 16, WR_MAX_SAMPLES = 256 };

/* 16 floats, which the compiler cuts into the registers of the CPU level */
typedef float wr_lanes __attribute__((vector_size(4 * WR_LANES), aligned(4)));
#define WR_INLINE static inline __attribute__((always_inline))
#define WR_AT(row, d) (*(wr_lanes *)((row) + (d)))
#define WR_READ(row, d) (*(const wr_lanes *)((row) + (d)))

typedef struct {
    int rank_loss, pair_loss;
    float t, rank_scale, rank_offset, l2, step;
    float x_max, epsilon; /* r = min(1, (X / x_max)^epsilon); epsilon = 0 gives r = 1 */
    float draws;          /* a pair is drawn draws * r times an epoch on average */
    int64_t bias, stride;
    int64_t n_contexts; /* |C| over all blocks */
    int64_t n_samples;  /* S, at most the contexts of a block and WR_MAX_SAMPLES */
} wr_sampled_options;

typedef struct {
    int32_t row, n_pairs;
    int64_t first; /* in the arrays of drawn pairs */
} wr_task;

/* ---- (a) drawing pairs ---------------------------------------------------------------------------------------- */

typedef struct {
    int32_t *hit; /* [longest row] the pairs of a word whose contexts lie in the block */
    float *rate;  /* [longest row] how often each is to be drawn */
    int32_t *context; /* [pairs of the words] of a drawn pair, as a row of the block */
    float *weight;
    wr_task *task; /* [pairs of the words / WR_TASK_PAIRS + number of words] */
    int64_t n_pairs, n_tasks;
} wr_draws;

/* The pairs of one word whose contexts lie in the block; without branches, which could not be foretold. */
WR_INLINE int64_t wr_find_hits(const int32_t *columns, int64_t n, const uint8_t *block_of, uint8_t block, int32_t *hit) {
    int64_t n_hits = 0;
    for (int64_t j = 0; j < n; j++) {
        hit[n_hits] = (int32_t)j;
        n_hits += block_of[columns[j]] == block;
    }
    return n_hits;
}

/* How often each hit is to be drawn: draws * min(1, (X / x_max)^epsilon) */
WR_INLINE void wr_rates(const float *count, const int32_t *hit, int64_t n, const wr_sampled_options *p, float *restrict rate) {
    const float draws = p->draws, per_max = 1.0f / p->x_max, epsilon = p->epsilon;
    for (int64_t j = 0; j < n; j++) rate[j] = count[hit[j]];
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        float r = wr_exp2(epsilon * wr_log2(rate[j] * per_max));
        rate[j] = draws * (r < 1.0f ? r : 1.0f);
    }
}

/* Keep the hits that are drawn, with their weights in place of their rates; return how many they are. A pair with a rate of 1 or
 * more is taken once with that weight; the others by systematic sampling: along the row, one is taken with weight 1 whenever the
 * running sum of their rates, `walk`, passes 1. It starts at random and goes on from cell to cell, so that over an epoch every
 * word is drawn as often as it should be, to within one.
 */
WR_INLINE int64_t wr_walk(int32_t *hit, float *rate, int64_t n, float *walk) {
    int64_t n_drawn = 0;
    for (int64_t j = 0; j < n; j++) {
        float weight = rate[j];
        if (weight < 1.0f) {
            *walk += weight;
            if (*walk < 1.0f) continue;
            *walk -= 1.0f;
            weight = 1.0f;
        }
        hit[n_drawn] = hit[j];
        rate[n_drawn++] = weight;
    }
    return n_drawn;
}

/* Deal the drawn pairs of a word to tasks like cards: columns stand in order of frequency, and so each task gets some of every
 * kind (tasks of neighbouring columns gave clearly worse vectors).
 */
WR_INLINE void wr_deal(int64_t word, const int32_t *column, const int32_t *row_of, int64_t n_drawn, wr_draws *o) {
    const int64_t n_new = (n_drawn + WR_TASK_PAIRS - 1) / WR_TASK_PAIRS;
    for (int64_t t = 0; t < n_new; t++) {
        const int64_t first = o->n_pairs;
        for (int64_t j = t; j < n_drawn; j += n_new) {
            o->context[o->n_pairs] = row_of[column[o->hit[j]]];
            o->weight[o->n_pairs++] = o->rate[j];
        }
        o->task[o->n_tasks++] = (wr_task){(int32_t)word, (int32_t)(o->n_pairs - first), first};
    }
}

/* Put tasks into random order (Fisher and Yates). */
WR_INLINE void wr_shuffle(wr_task *task, int64_t n, uint64_t *random) {
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = wr_random_below(random, i + 1);
        wr_task swapped = task[i];
        task[i] = task[j];
        task[j] = swapped;
    }
}

/* Draw the pairs of a cell and cut them into tasks. */
WR_CLONES static void wr_draw(
    const int32_t *words, int64_t n_words, const int64_t *indptr, const int32_t *columns, const float *counts,
    const uint8_t *block_of, uint8_t block, const int32_t *row_of, float *walk, const wr_sampled_options *p,
    uint64_t *random, wr_draws *o
) {
    o->n_pairs = o->n_tasks = 0;
    for (int64_t i = 0; i < n_words; i++) {
        const int64_t from = indptr[words[i]];
        int64_t n = wr_find_hits(columns + from, indptr[words[i] + 1] - from, block_of, block, o->hit);
        wr_rates(counts + from, o->hit, n, p, o->rate);
        n = wr_walk(o->hit, o->rate, n, walk + i);
        wr_deal(i, columns + from, row_of, n, o);
    }
    wr_shuffle(o->task, o->n_tasks, random);
}

/* ---- (b) scoring ---------------------------------------------------------------------------------------------- */

WR_INLINE float wr_add_lanes(wr_lanes x) {
    float sum = 0.0f;
    for (int i = 0; i < WR_LANES; i++) sum += x[i];
    return sum;
}

WR_INLINE float wr_dot(const float *a, const float *b, int64_t stride) {
    wr_lanes sum = {0};
    for (int64_t d = 0; d < stride; d += WR_LANES) sum += WR_READ(a, d) * WR_READ(b, d);
    return wr_add_lanes(sum);
}

/* scores[t][j] = <u_t, v_j> of a group with its sample, eight contexts at a time; `turned` is room for the group's U, turned */
WR_INLINE void wr_score(
    const float *group, const float *const *sample, int64_t n_samples, int64_t stride, float *turned, float *scores
) {
    for (int64_t d = 0; d < stride; d++)
        for (int t = 0; t < WR_GROUP; t++) turned[d * WR_GROUP + t] = group[t * stride + d];
    for (int64_t j = 0; j < n_samples; j += 8) {
        wr_lanes sum[8] = {{0}};
        for (int64_t d = 0; d < stride; d++) {
            wr_lanes u = WR_READ(turned, d * WR_GROUP);
            for (int i = 0; i < 8; i++) sum[i] += sample[j + i][d] * u;
        }
        for (int i = 0; i < 8; i++)
            for (int t = 0; t < WR_GROUP; t++) scores[t * WR_MAX_SAMPLES + j + i] = sum[i][t];
    }
}

/* ---- (c) comparing the pairs of a task with the sample ---------------------------------------------------------- */

/* l(s_c - s') and -l'(s_c - s') in float, vectorised: the formulas of wr_losses.h */
WR_INLINE float wr_loss_of(int pair_loss, float over) { /* over = s' - s_c */
    if (pair_loss == WR_HINGE) return over > -1.0f ? over + 1.0f : 0.0f;
    float size = over < 0.0f ? -over : over;
    return (over > 0.0f ? over : 0.0f) + wr_log2(1.0f + wr_exp2(-size));
}

WR_INLINE float wr_pull_of(int pair_loss, float over) {
    if (pair_loss == WR_HINGE) return over > -1.0f ? 1.0f : 0.0f;
    return 1.0f / (1.0f + wr_exp2(-over));
}

/* Sums of l over the sample for four pairs at a time, which read the sample's scores once */
WR_INLINE void wr_sum_losses(int pair_loss, const float *scores, int64_t n_samples, const float *score, float *sum) {
    const float s0 = score[0], s1 = score[1], s2 = score[2], s3 = score[3];
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
    for (int64_t j = 0; j < n_samples; j++) {
        a0 += wr_loss_of(pair_loss, scores[j] - s0);
        a1 += wr_loss_of(pair_loss, scores[j] - s1);
        a2 += wr_loss_of(pair_loss, scores[j] - s2);
        a3 += wr_loss_of(pair_loss, scores[j] - s3);
    }
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
}

/* Add weight * -l' of four pairs to the push on every sampled context; write the sums of it a pair */
WR_INLINE void wr_add_pulls(
    int pair_loss, const float *scores, int64_t n_samples, const float *score, const float *weight, float *push, float *sum
) {
    const float s0 = score[0], s1 = score[1], s2 = score[2], s3 = score[3];
    const float w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
#pragma omp simd reduction(+ : a0, a1, a2, a3)
    for (int64_t j = 0; j < n_samples; j++) {
        float p0 = w0 * wr_pull_of(pair_loss, scores[j] - s0), p1 = w1 * wr_pull_of(pair_loss, scores[j] - s1);
        float p2 = w2 * wr_pull_of(pair_loss, scores[j] - s2), p3 = w3 * wr_pull_of(pair_loss, scores[j] - s3);
        a0 += p0, a1 += p1, a2 += p2, a3 += p3;
        push[j] += (p0 + p1) + (p2 + p3);
    }
    sum[0] = a0, sum[1] = a1, sum[2] = a2, sum[3] = a3;
}

/* (d) Add a gradient's mean square to the row's sum of them; return the factor of its step. */
WR_INLINE float wr_row_step(float *past, float square, const wr_sampled_options *p) {
    *past += square / (float)(p->bias + 1);
    return p->step / sqrtf(*past);
}

/* 1 - step * l2 * weight, not below 0 */
WR_INLINE float wr_keep(const wr_sampled_options *p, float step, float weight) {
    float keep = 1.0f - step * p->l2 * weight;
    return keep > 0.0f ? keep : 0.0f;
}

/* One task: the pairs of one word. Adds up what pushes each sampled context away, the gradient of the word from its own contexts,
 * and moves those contexts; returns the sum of weight * rho. `scale` turns a sum over the sample into one over C \ {c}.
 */
WR_INLINE double wr_compare(
    int pair_loss, const wr_sampled_options *p, const float *u, const float *scores, float scale, int64_t sample_first,
    int64_t n_block, const int32_t *pair_context, const float *pair_weight, int64_t n_pairs,
    float *contexts, float *context_past, float *push, float *pull_on_word
) {
    /* quadruples are filled up with pairs of weight 0 whose context nothing outranks */
    float score[WR_TASK_PAIRS], sum[WR_TASK_PAIRS], weight[WR_TASK_PAIRS], pull[WR_TASK_PAIRS];
    int64_t own[WR_TASK_PAIRS]; /* where c itself stands in the sample, or -1 */
    double total = 0.0;
    for (int64_t i = 0; i < WR_TASK_PAIRS; i++) score[i] = INFINITY, weight[i] = 0.0f;
    for (int64_t i = 0; i < n_pairs; i++) {
        score[i] = wr_dot(u, contexts + pair_context[i] * p->stride, p->stride);
        own[i] = pair_context[i] - sample_first;
        own[i] += own[i] < 0 ? n_block : 0;
        own[i] = own[i] < p->n_samples ? own[i] : -1;
    }
    for (int64_t i = 0; i < n_pairs; i += 4) wr_sum_losses(pair_loss, scores, p->n_samples, score + i, sum + i);
    for (int64_t i = 0; i < n_pairs; i++) {
        if (own[i] >= 0) sum[i] -= wr_loss_of(pair_loss, scores[own[i]] - score[i]);
        double x = ((double)scale * (sum[i] > 0.0f ? sum[i] : 0.0f) + p->rank_offset) / p->rank_scale;
        total += pair_weight[i] * wr_rank_loss(p->rank_loss, p->t, x);
        weight[i] = pair_weight[i] * (float)wr_rank_slope(p->rank_loss, p->t, x) * scale / p->rank_scale;
    }
    for (int64_t i = 0; i < n_pairs; i += 4)
        wr_add_pulls(pair_loss, scores, p->n_samples, score + i, weight + i, push, pull + i);
    const float length = wr_dot(u, u, p->stride);
    for (int64_t i = 0; i < n_pairs; i++) {
        if (own[i] >= 0) {
            float of_own = weight[i] * wr_pull_of(pair_loss, scores[own[i]] - score[i]);
            pull[i] -= of_own;
            push[own[i]] -= of_own;
        }
        float *v = contexts + pair_context[i] * p->stride;
        float step = wr_row_step(context_past + pair_context[i], pull[i] * pull[i] * length, p);
        float keep = wr_keep(p, step, pair_weight[i]), along = step * pull[i];
        for (int64_t d = 0; d < p->stride; d += WR_LANES) {
            wr_lanes old = WR_READ(v, d);
            WR_AT(pull_on_word, d) += pull[i] * old;
            WR_AT(v, d) = keep * old + along * WR_READ(u, d);
        }
    }
    return total;
}

/* Gradient of the words of a group from the sample: pull_on_word[t] -= sum over j of push[t][j] v_j */
WR_INLINE void wr_push_words(
    const float *push, const float *const *sample, int64_t n_samples, int64_t stride, float *pull_on_word
) {
    for (int t = 0; t < WR_GROUP; t += 4)
        for (int64_t d = 0; d < stride; d += WR_LANES) {
            wr_lanes sum[4] = {{0}};
            for (int64_t j = 0; j < n_samples; j++) {
                wr_lanes v = WR_READ(sample[j], d);
                for (int i = 0; i < 4; i++) sum[i] += push[(t + i) * WR_MAX_SAMPLES + j] * v;
            }
            for (int i = 0; i < 4; i++) WR_AT(pull_on_word + (t + i) * stride, d) -= sum[i];
        }
}

/* Move sampled context j away from the words of the group: along -sum over t of push[t][j] u_t; `gradient` is room for a row */
WR_INLINE void wr_push_context(
    const wr_sampled_options *p, const float *push, int64_t j, const float *group, float *v, float *past, float *gradient
) {
    float of_word[WR_GROUP], any = 0.0f;
    for (int t = 0; t < WR_GROUP; t++) any += of_word[t] = push[t * WR_MAX_SAMPLES + j];
    if (any == 0.0f) return;
    wr_lanes square = {0};
    for (int64_t d = 0; d < p->stride; d += WR_LANES) {
        wr_lanes sum = {0};
        for (int t = 0; t < WR_GROUP; t++) sum += of_word[t] * WR_READ(group + t * p->stride, d);
        square += sum * sum;
        WR_AT(gradient, d) = sum;
    }
    float step = wr_row_step(past, wr_add_lanes(square), p);
    for (int64_t d = 0; d < p->stride; d += WR_LANES) WR_AT(v, d) -= step * WR_READ(gradient, d);
}

/* Move a word along its gradient; its bias coordinate stays 1. */
WR_INLINE void wr_pull_word(const wr_sampled_options *p, float *u, float *past, float *gradient, float weight) {
    gradient[p->bias] = 0.0f;
    float step = wr_row_step(past, wr_dot(gradient, gradient, p->stride), p);
    float keep = wr_keep(p, step, weight);
    for (int64_t d = 0; d < p->stride; d += WR_LANES) WR_AT(u, d) = keep * WR_READ(u, d) + step * WR_READ(gradient, d);
    u[p->bias] = 1.0f;
}

/* ---- one cell --------------------------------------------------------------------------------------------------- */

/* Floats of room that wr_train needs */
static inline int64_t wr_sampled_room(int64_t stride) { return 3 * WR_GROUP * stride + 2 * WR_GROUP * WR_MAX_SAMPLES + stride; }

WR_INLINE double wr_train_with(
    int pair_loss, float *words, float *word_past, float *contexts, float *context_past, int64_t n_block,
    const wr_draws *drawn, const wr_sampled_options *p, uint64_t *random, float *room
) {
    const int64_t stride = p->stride;
    float *group = room, *pull = group + WR_GROUP * stride, *turned = pull + WR_GROUP * stride;
    float *scores = turned + WR_GROUP * stride, *push = scores + WR_GROUP * WR_MAX_SAMPLES;
    float *gradient = push + WR_GROUP * WR_MAX_SAMPLES;
    const float *sample[WR_MAX_SAMPLES];
    /* c' is in the block of c with probability (n_block - 1) / (|C| - 1), and then in the sample with S / n_block */
    const double n = (double)n_block;
    const float scale = (float)((double)(p->n_contexts - 1) / (n - 1.0) * n / (double)p->n_samples);
    double total = 0.0;
    int64_t first = wr_random_below(random, n_block); /* the block is in random order: any run of its rows is a fair sample */
    for (int64_t g = 0; g < drawn->n_tasks; g += WR_GROUP) {
        const wr_task *task = drawn->task + g;
        const int64_t n_group = drawn->n_tasks - g < WR_GROUP ? drawn->n_tasks - g : WR_GROUP;
        for (int64_t j = 0; j < (p->n_samples + 7) / 8 * 8; j++) sample[j] = contexts + (first + j) % n_block * stride;
        memset(group, 0, (size_t)(2 * WR_GROUP * stride) * sizeof(float)); /* and pull */
        memset(push, 0, WR_GROUP * WR_MAX_SAMPLES * sizeof(float));
        for (int64_t t = 0; t < n_group; t++)
            memcpy(group + t * stride, words + task[t].row * stride, (size_t)stride * sizeof(float));
        wr_score(group, sample, p->n_samples, stride, turned, scores);
        for (int64_t t = 0; t < n_group; t++)
            total += wr_compare(
                pair_loss, p, group + t * stride, scores + t * WR_MAX_SAMPLES, scale, first, n_block,
                drawn->context + task[t].first, drawn->weight + task[t].first, task[t].n_pairs,
                contexts, context_past, push + t * WR_MAX_SAMPLES, pull + t * stride);
        wr_push_words(push, sample, p->n_samples, stride, pull);
        for (int64_t j = 0; j < p->n_samples; j++) {
            int64_t row = (first + j) % n_block;
            wr_push_context(p, push, j, group, contexts + row * stride, context_past + row, gradient);
        }
        for (int64_t t = 0; t < n_group; t++) {
            float weight = 0.0f;
            for (int64_t i = 0; i < task[t].n_pairs; i++) weight += drawn->weight[task[t].first + i];
            wr_pull_word(p, words + task[t].row * stride, word_past + task[t].row, pull + t * stride, weight);
        }
        first = (first + p->n_samples) % n_block;
    }
    return total;
}

/* Train a cell on its drawn pairs; return the sum of weight * rho over them. */
WR_CLONES static double wr_train(
    float *words, float *word_past, float *contexts, float *context_past, int64_t n_block,
    const wr_draws *drawn, const wr_sampled_options *p, uint64_t *random, float *room
) {
    if (p->pair_loss == WR_HINGE)
        return wr_train_with(WR_HINGE, words, word_past, contexts, context_past, n_block, drawn, p, random, room);
    return wr_train_with(WR_LOGISTIC, words, word_past, contexts, context_past, n_block, drawn, p, random, room);
}

#endif

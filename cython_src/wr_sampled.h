/* Stage 1 with sampled ranks: the cells (a block of words x a block of contexts) of Algorithm 2.
 *
 * Where Algorithm 1 takes one pair and one c' at a time, this takes up to WR_TASK_PAIRS pairs of a word and compares them all
 * with the same S sampled contexts, frequent ones more often (wr_take):
 *   (a) pairs (w, c) are drawn in proportion to r_wc (wr_draws.h);
 *   (b) WR_GROUP words are scored against one sample by a small matrix product (wr_score);
 *   (c) rank and xi of a pair come fresh from these scores, and every violating c' takes part in the step (wr_compare);
 *   (d) every row has a step of its own, by the mean square of its past gradients (AdaGrad a row).
 *
 * A context has a bias: score(w, c) = <u_w, v_c> + b_c. It is stored as one more coordinate, `bias`, which is 1 in U; it takes
 * the frequency of contexts out of the vectors, and L2 leaves it alone. Rows are `stride` floats apart, a multiple of 16, zero
 * behind the bias.
 */
#ifndef WR_SAMPLED_H
#define WR_SAMPLED_H

#include <string.h>

#include "wr_compare.h"
#include "wr_draws.h"
#include "wr_lanes.h"
#include "wr_random.h"

enum { WR_GROUP = 16, WR_MAX_SAMPLES = 256 };

typedef struct {
    int rank_loss, pair_loss;
    float t, rank_scale, rank_offset, l2, step;
    float sharpness; /* steps go down rho((rank sharpness + beta) / alpha): 1, or more to look harder at the top of the list */
    float pull;      /* what rho' is multiplied by in steps */
    float unit; /* of the weights of drawn pairs */
    int64_t bias, stride;
    int64_t n_contexts; /* |C| over all blocks */
    int64_t n_samples;  /* S, at most the contexts of a block and WR_MAX_SAMPLES */
} wr_sampled_options;

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int32_t row, n_pairs;
    int64_t first; /* of its drawn pairs */
} wr_task;

/* Cut the pairs of a cell into tasks; the number of tasks. `starts` is that of the slot: of every n_slots-th run of pairs. */
WR_INLINE int64_t wr_cut(const int64_t *starts, int64_t n_words, int64_t n_slots, wr_task *task) {
    int64_t n_done = 0;
    for (int64_t i = 0; i < n_words; i++) {
        const int64_t first = starts[i * n_slots], n = starts[i * n_slots + 1] - first, n_new = wr_n_tasks(n);
        for (int64_t t = 0; t < n_new; t++) {
            const int64_t from = wr_task_start(n / n_new, n % n_new, t), to = wr_task_start(n / n_new, n % n_new, t + 1);
            task[n_done++] = (wr_task){(int32_t)i, (int32_t)(to - from), first + from};
        }
    }
    return n_done;
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

/* ---- sampled contexts -------------------------------------------------------------------------------------------- */

/* The urn of a cell holds copies[row] of each of its contexts, in random order; the sample of a group is what is taken next. */
typedef struct {
    const uint16_t *copies;
    uint16_t *urn;
    int64_t n_urn, next;
    float share;      /* what one of one copy stands for */
    int32_t *place_of; /* [contexts of the block] where a context stands in the sample, or -1 */
} wr_urn;

typedef struct {
    int64_t n; /* different contexts in it */
    float *v[WR_MAX_SAMPLES], *past[WR_MAX_SAMPLES];
    float share[WR_MAX_SAMPLES]; /* how many contexts of C each stands for */
    int32_t row[WR_MAX_SAMPLES];
    const int32_t *place_of;
} wr_sample;

/* Fill the urn and shuffle it. c' is in the block of c with probability (n - 1) / (|C| - 1), and then the sample holds it
 * S * copies / n_urn times on average: each time it stands for the inverse of that.
 */
WR_INLINE void wr_fill_urn(wr_urn *o, int64_t n_block, const wr_sampled_options *p, uint64_t *random) {
    o->n_urn = 0;
    for (int64_t row = 0; row < n_block; row++) {
        o->place_of[row] = -1;
        for (int64_t i = 0; i < o->copies[row]; i++) o->urn[o->n_urn++] = (uint16_t)row;
    }
    for (int64_t i = o->n_urn - 1; i > 0; i--) {
        int64_t j = wr_random_below(random, i + 1);
        uint16_t swapped = o->urn[i];
        o->urn[i] = o->urn[j];
        o->urn[j] = swapped;
    }
    o->next = 0;
    o->share = (float)((double)(p->n_contexts - 1) / ((double)n_block - 1.0) * (double)o->n_urn / (double)p->n_samples);
}

/* Take the next S; a context that comes again counts more. Then fill up to whole lanes with what stands for nothing. */
WR_INLINE void wr_take(wr_urn *o, const wr_sampled_options *p, float *contexts, float *context_past, wr_sample *sample) {
    sample->n = 0;
    for (int64_t i = 0; i < p->n_samples; i++) {
        const int32_t row = o->urn[o->next];
        o->next = o->next + 1 < o->n_urn ? o->next + 1 : 0;
        if (o->place_of[row] < 0) {
            sample->row[sample->n] = row, sample->share[sample->n] = 0.0f;
            o->place_of[row] = (int32_t)sample->n++;
        }
        sample->share[o->place_of[row]] += o->share / (float)o->copies[row];
    }
    for (int64_t j = sample->n; j % WR_LANES; j++) sample->row[j] = 0, sample->share[j] = 0.0f;
    for (int64_t j = 0; j < (sample->n + WR_LANES - 1) / WR_LANES * WR_LANES; j++)
        sample->v[j] = contexts + sample->row[j] * p->stride, sample->past[j] = context_past + sample->row[j];
    sample->place_of = o->place_of;
}

/* Ask for the rows of the next sample ahead of use, a part of them beside each task of a group. */
WR_INLINE void wr_prefetch_sample(const wr_urn *o, const wr_sampled_options *p, int64_t part, const float *contexts) {
    for (int64_t i = part * p->n_samples / WR_GROUP; i < (part + 1) * p->n_samples / WR_GROUP; i++) {
        const int64_t at = o->next + i < o->n_urn ? o->next + i : o->next + i - o->n_urn;
        for (int64_t d = 0; d < p->stride; d += WR_LANES) __builtin_prefetch(contexts + o->urn[at] * p->stride + d);
    }
}

WR_INLINE void wr_put_back(wr_urn *o, const wr_sample *sample) {
    for (int64_t j = 0; j < sample->n; j++) o->place_of[sample->row[j]] = -1;
}

/* ---- (b) scoring ---------------------------------------------------------------------------------------------- */

/* scores[t][j] = <u_t, v_j> of a group with its sample, eight contexts at a time; `turned` is room for the group's U, turned */
WR_INLINE void wr_score(
    const float *group, const float *const *sample, int64_t n_samples, int64_t stride, int64_t size, float *turned, float *scores
) {
    for (int64_t d = 0; d < stride; d += WR_LANES) wr_turn(group + d, stride, turned + d * WR_GROUP, WR_GROUP);
    for (int64_t j = 0; j < n_samples; j += WR_LANES) {
        float square[WR_LANES * WR_GROUP];
        for (int64_t half = 0; half < WR_LANES; half += 8) {
            wr_lanes sum[8] = {{0}};
            for (int64_t d = 0; d < size; d++) {
                wr_lanes u = WR_READ(turned, d * WR_GROUP);
                for (int i = 0; i < 8; i++) sum[i] += sample[j + half + i][d] * u;
            }
            for (int i = 0; i < 8; i++) WR_AT(square, (half + i) * WR_GROUP) = sum[i];
        }
        wr_turn(square, WR_GROUP, scores + j, WR_MAX_SAMPLES);
    }
}

/* ---- (c) comparing the pairs of a task with the sample ---------------------------------------------------------- */

/* rho at x[0 .. n) and rho' at sharp[0 .. n); the usual rho_1 in float, vectorised */
WR_INLINE void wr_rank_losses(
    const wr_sampled_options *p, const float *x, const float *sharp, int64_t n, float *rho, float *slope
) {
    if (p->rank_loss == WR_LOG) {
        for (int64_t i = 0; i < n; i++) rho[i] = wr_log2(1.0f + x[i]), slope[i] = (float)(1.0 / WR_LN2) / (1.0f + sharp[i]);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        rho[i] = (float)wr_rank_loss(p->rank_loss, p->t, x[i]);
        slope[i] = (float)wr_rank_slope(p->rank_loss, p->t, sharp[i]);
    }
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

/* Ask for the rows of a task's contexts ahead of use: they lie anywhere in the block, which is larger than the inner caches. */
WR_INLINE void wr_prefetch(const wr_drawn *pair, int64_t n_pairs, const float *contexts, int64_t stride) {
    for (int64_t i = 0; i < n_pairs; i++)
        for (int64_t d = 0; d < stride; d += WR_LANES) __builtin_prefetch(contexts + pair[i].row * stride + d);
}

/* Move the contexts of a task along u, by `step * pull` each, and add pull * v to the gradient of the word. The contexts differ,
 * so that the order does not matter.
 */
WR_INLINE void wr_pull_contexts(
    const float *u, float *const *v, const float *pull, const float *along, const float *keep, int64_t n, int64_t stride,
    float *pull_on_word
) {
    for (int64_t d = 0; d < stride; d += WR_LANES) {
        wr_lanes of_word = WR_READ(u, d), sum = WR_AT(pull_on_word, d);
        for (int64_t i = 0; i < n; i++) {
            wr_lanes old = WR_READ(v[i], d);
            sum += pull[i] * old;
            WR_AT(v[i], d) = keep[i] * old + along[i] * of_word;
        }
        WR_AT(pull_on_word, d) = sum;
    }
}

/* One task: the pairs of one word. Adds up what pushes each sampled context away, the gradient of the word from its own contexts,
 * and moves those contexts; returns the sum of weight * rho. `next` are the pairs of the next task.
 */
WR_INLINE double wr_compare(
    int pair_loss, const wr_sampled_options *p, const float *u, const float *scores, const wr_sample *sample,
    const wr_drawn *pair, int64_t n_pairs, const wr_drawn *next, int64_t n_next,
    float *contexts, float *context_past, float *push, float *pull_on_word
) {
    /* filled up with pairs of weight 0 whose context nothing outranks */
    float bar[WR_TASK_PAIRS], rank[WR_TASK_PAIRS], weight[WR_TASK_PAIRS], pull[WR_TASK_PAIRS];
    float x[WR_TASK_PAIRS], sharp[WR_TASK_PAIRS], rho[WR_TASK_PAIRS], slope[WR_TASK_PAIRS];
    float along[WR_TASK_PAIRS], keep[WR_TASK_PAIRS], bias[WR_TASK_PAIRS];
    float *v[WR_TASK_PAIRS];
    double total = 0.0;
    for (int64_t i = 0; i < WR_TASK_PAIRS; i++) bar[i] = WR_NOTHING_OVER(pair_loss), weight[i] = rank[i] = 0.0f;
    for (int64_t i = 0; i < n_pairs; i++) {
        v[i] = contexts + pair[i].row * p->stride;
        bar[i] = wr_bar_of(pair_loss, wr_dot(u, v[i], p->stride));
    }
    for (int64_t i = 0; i < n_pairs; i += 4) {
        wr_prefetch(next + i, i + 4 < n_next ? 4 : n_next - i, contexts, p->stride);
        wr_sum_losses(pair_loss, scores, sample->share, sample->n, bar + i, rank + i);
    }
    for (int64_t i = 0; i < n_pairs; i++) {
        const int64_t own = sample->place_of[pair[i].row]; /* c is no c' */
        if (own >= 0) rank[i] -= sample->share[own] * wr_loss_of(pair_loss, wr_over(pair_loss, scores[own], bar[i]));
    }
    const float per_scale = 1.0f / p->rank_scale;
    for (int64_t i = 0; i < WR_TASK_PAIRS; i++) {
        rank[i] = rank[i] > 0.0f ? rank[i] : 0.0f;
        x[i] = (rank[i] + p->rank_offset) * per_scale;
        sharp[i] = (rank[i] * p->sharpness + p->rank_offset) * per_scale;
    }
    wr_rank_losses(p, x, sharp, WR_TASK_PAIRS, rho, slope);
    for (int64_t i = 0; i < n_pairs; i++) {
        const float drawn = (float)pair[i].weight / p->unit;
        total += drawn * rho[i];
        keep[i] = drawn;
        weight[i] = drawn * slope[i] * p->pull;
    }
    for (int64_t i = 0; i < n_pairs; i += 4)
        wr_add_pulls(pair_loss, scores, sample->share, sample->n, bar + i, weight + i, push, pull + i);
    const float length = wr_dot(u, u, p->stride);
    for (int64_t i = 0; i < n_pairs; i++) {
        const int64_t own = sample->place_of[pair[i].row];
        if (own >= 0) {
            float of_own = sample->share[own] * wr_pull_of(pair_loss, wr_over(pair_loss, scores[own], bar[i]), weight[i]);
            pull[i] -= of_own;
            push[own] -= of_own;
        }
        float step = wr_row_step(context_past + pair[i].row, pull[i] * pull[i] * length, p);
        keep[i] = wr_keep(p, step, keep[i]);
        along[i] = step * pull[i];
        bias[i] = v[i][p->bias] + along[i];
    }
    wr_pull_contexts(u, v, pull, along, keep, n_pairs, p->stride, pull_on_word);
    for (int64_t i = 0; i < n_pairs; i++) v[i][p->bias] = bias[i]; /* L2 leaves the bias alone */
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

/* Move four sampled contexts, j to j + 3, away from the words of the group: along -sum over t of push[t][j] u_t; `gradient` is
 * room for four rows
 */
WR_INLINE void wr_push_contexts(
    const wr_sampled_options *p, const float *push, const float *group, float *const *v, float *const *past, float *gradient
) {
    wr_lanes square[4] = {{0}};
    for (int64_t d = 0; d < p->stride; d += WR_LANES) {
        wr_lanes sum[4] = {{0}};
        for (int t = 0; t < WR_GROUP; t++) {
            wr_lanes u = WR_READ(group + t * p->stride, d);
            for (int i = 0; i < 4; i++) sum[i] += push[t * WR_MAX_SAMPLES + i] * u;
        }
        for (int i = 0; i < 4; i++) {
            square[i] += sum[i] * sum[i];
            WR_AT(gradient + i * p->stride, d) = sum[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        float step = wr_row_step(past[i], wr_add_lanes(square[i]), p);
        for (int64_t d = 0; d < p->stride; d += WR_LANES) WR_AT(v[i], d) -= step * WR_READ(gradient + i * p->stride, d);
    }
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
static inline int64_t wr_sampled_room(int64_t stride) {
    return (3 * WR_GROUP + 4) * stride + 2 * WR_GROUP * WR_MAX_SAMPLES;
}

WR_INLINE double wr_train_with(
    int pair_loss, float *words, float *word_past, float *contexts, float *context_past, wr_urn *urn,
    const wr_drawn *pairs, const wr_task *tasks, int64_t n_tasks, const wr_sampled_options *p, float *room
) {
    const int64_t stride = p->stride;
    float *group = room, *pull = group + WR_GROUP * stride, *turned = pull + WR_GROUP * stride;
    float *scores = turned + WR_GROUP * stride, *push = scores + WR_GROUP * WR_MAX_SAMPLES;
    float *gradient = push + WR_GROUP * WR_MAX_SAMPLES;
    wr_sample sample;
    double total = 0.0;
    for (int64_t g = 0; g < n_tasks; g += WR_GROUP) {
        const wr_task *task = tasks + g;
        const int64_t n_group = n_tasks - g < WR_GROUP ? n_tasks - g : WR_GROUP;
        wr_prefetch(pairs + task[0].first, task[0].n_pairs, contexts, stride);
        wr_take(urn, p, contexts, context_past, &sample);
        memset(group, 0, (size_t)(2 * WR_GROUP * stride) * sizeof(float)); /* and pull */
        memset(push, 0, WR_GROUP * WR_MAX_SAMPLES * sizeof(float));
        for (int64_t t = 0; t < n_group; t++)
            memcpy(group + t * stride, words + task[t].row * stride, (size_t)stride * sizeof(float));
        wr_score(group, (const float *const *)sample.v, sample.n, stride, p->bias + 1, turned, scores);
        for (int64_t t = 0; t < n_group; t++) {
            const wr_task *next = task + (g + t + 1 < n_tasks ? t + 1 : t);
            wr_prefetch_sample(urn, p, t, contexts);
            if (pair_loss == WR_LOGISTIC) wr_raise(scores + t * WR_MAX_SAMPLES, sample.n);
            total += wr_compare(
                pair_loss, p, group + t * stride, scores + t * WR_MAX_SAMPLES, &sample,
                pairs + task[t].first, task[t].n_pairs, pairs + next->first, next->n_pairs,
                contexts, context_past, push + t * WR_MAX_SAMPLES, pull + t * stride);
        }
        wr_push_words(push, (const float *const *)sample.v, sample.n, stride, pull);
        for (int64_t j = 0; j < sample.n; j += 4) wr_push_contexts(p, push + j, group, sample.v + j, sample.past + j, gradient);
        for (int64_t t = 0; t < n_group; t++) {
            float weight = 0.0f;
            for (int64_t i = 0; i < task[t].n_pairs; i++) weight += (float)pairs[task[t].first + i].weight / p->unit;
            wr_pull_word(p, words + task[t].row * stride, word_past + task[t].row, pull + t * stride, weight);
        }
        wr_put_back(urn, &sample);
    }
    return total;
}

/* Train a cell on its drawn pairs; return the sum of weight * rho over them. `task` and `urn` are room for its tasks and urn. */
WR_CLONES static double wr_train(
    float *words, float *word_past, int64_t n_words, float *contexts, float *context_past, int64_t n_block,
    const wr_drawn *pairs, const int64_t *starts, int64_t n_slots, wr_task *task, wr_urn *urn,
    const wr_sampled_options *p, uint64_t *random, float *room
) {
    const int64_t n_tasks = wr_cut(starts, n_words, n_slots, task);
    wr_shuffle(task, n_tasks, random);
    wr_fill_urn(urn, n_block, p, random);
    if (p->pair_loss == WR_HINGE)
        return wr_train_with(WR_HINGE, words, word_past, contexts, context_past, urn, pairs, task, n_tasks, p, room);
    return wr_train_with(WR_LOGISTIC, words, word_past, contexts, context_past, urn, pairs, task, n_tasks, p, room);
}

#endif

/* Stage 1 with sampled ranks: one cell of Algorithm 2, a block of words x a block of contexts.
 *
 * Algorithm 1 updates one pair and one c' at a time. Here a task has up to WR_TASK_PAIRS pairs of one word, and a group of
 * WR_GROUP tasks shares S negatives (wr_negatives.h). For each group:
 *   (a) the words are scored against the negatives by a small matrix product (wr_score_negatives);
 *   (b) each task is processed in four steps: score, rank, gradient, apply. The rank of a pair is estimated from the scores of the
 *       negatives, and every violating negative contributes to the gradient. xi is that of the estimated rank, or the one that was
 *       stored when stage 2 last ran: then the steps are those of lines 8 to 10, for many triplets at once;
 *   (c) the gradients of the negatives and of the words are applied.
 * Steps are those of SGD, or AdaGrad's with one accumulator per row: the sum of the mean squares of its gradients.
 *
 * Contexts have a bias: score(w, c) = <u_w, v_c> + b_c. It is stored behind the vector, at index vector_size, where U has 1,
 * or 0 if there are no biases. It takes the frequency of contexts out of the vectors, and is not regularized. Rows are `stride` floats
 * apart, a multiple of 16, and are zero behind the bias. Gradients are directions of descent.
 */
#include <string.h>

#include "wr_cell.h"
#include "wr_pair_losses.h"

/* The work of a group */
typedef struct {
    float *u;                /* [WR_GROUP][stride] word vectors before the update */
    float *word_gradient;    /* [WR_GROUP][stride] */
    float *transposed;       /* [stride][WR_GROUP] u, transposed */
    float *context_gradient; /* [4][stride] */
    float scores[WR_GROUP][WR_MAX_NEGATIVES];            /* of the negatives */
    float negative_gradient[WR_GROUP][WR_MAX_NEGATIVES]; /* dJ / d score */
    float weight[WR_GROUP];                              /* total weight of each task's pairs */
    wr_negatives negatives;
} wr_group;

/* The pairs of a task while it is processed, padded with pairs of weight 0 that no negative violates */
typedef struct {
    int64_t n;
    const wr_pair *pair;
    const float *xi; /* stored, or NULL */
    float *v[WR_TASK_PAIRS];
    float weight[WR_TASK_PAIRS];
    float threshold[WR_TASK_PAIRS]; /* wr_margin_threshold of the score */
    float rank[WR_TASK_PAIRS];
    float gradient[WR_TASK_PAIRS]; /* -dJ / d score */
} wr_task_pairs;

/* Split the pairs of each word into tasks; return the number of tasks. */
WR_INLINE int64_t wr_make_tasks(const wr_cell *cell, wr_task *tasks) {
    int64_t n_tasks = 0, first = 0;
    for (int64_t i = 0; i < cell->n_words; i++) {
        const int64_t n = cell->sizes[i], n_new = wr_n_tasks(n);
        for (int64_t t = 0; t < n_new; t++) {
            const int64_t from = wr_task_start(n / n_new, n % n_new, t), to = wr_task_start(n / n_new, n % n_new, t + 1);
            tasks[n_tasks++] = (wr_task){(int32_t)i, (int32_t)(to - from), first + from};
        }
        first += n;
    }
    return n_tasks;
}

WR_INLINE void wr_shuffle_tasks(wr_task *tasks, int64_t n, uint64_t *random) { /* Fisher-Yates */
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = wr_random_below(random, i + 1);
        wr_task swapped = tasks[i];
        tasks[i] = tasks[j];
        tasks[j] = swapped;
    }
}

/* Prefetch the rows of some contexts: they lie anywhere in the block, which is larger than the inner caches. */
WR_INLINE void wr_prefetch_contexts(const wr_cell *cell, const wr_pair *pair, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t d = 0; d < cell->stride; d += WR_ROW_FLOATS)
            __builtin_prefetch(cell->contexts + pair[i].row * cell->stride + d);
}

/* Return the learning rate of a row; for AdaGrad, after the mean square of its gradient was added to its accumulator. */
WR_INLINE float wr_row_rate(const wr_options *o, float *accumulator, float squared_norm) {
    if (!o->adagrad) return o->learning_rate;
    *accumulator += squared_norm / (float)(o->vector_size + 1);
    return o->learning_rate / sqrtf(*accumulator);
}

/* max(0, 1 - rate * l2 * weight) */
WR_INLINE float wr_weight_decay_factor(const wr_options *o, float rate, float weight) {
    float factor = 1.0f - rate * o->l2 * weight;
    return factor > 0.0f ? factor : 0.0f;
}

/* ---- (a) scores of the negatives ------------------------------------------------------------------------------- */

/* scores[t][j] = <u_t, v_j>, eight negatives and WR_LANES words at a time */
WR_INLINE void wr_score_negatives(const wr_cell *cell, wr_group *g) {
    const int64_t stride = cell->stride, size = cell->options->vector_size + 1;
    for (int64_t d = 0; d < stride; d += WR_ROW_FLOATS) wr_transpose16(g->u + d, stride, g->transposed + d * WR_GROUP, WR_GROUP);
    for (int64_t j = 0; j < g->negatives.n; j += 16) {
        float tile[16 * WR_GROUP];
        for (int64_t half = 0; half < 16; half += 8)
            for (int64_t t = 0; t < WR_GROUP; t += WR_LANES) {
                wr_lanes sum[8] = {{0}};
                float *const *v = g->negatives.v + j + half;
                for (int64_t d = 0; d < size; d++) {
                    wr_lanes u = WR_READ(g->transposed, d * WR_GROUP + t);
                    for (int i = 0; i < 8; i++) sum[i] = wr_fma(WR_SPLAT(v[i][d]), u, sum[i]);
                }
                for (int i = 0; i < 8; i++) WR_AT(tile, (half + i) * WR_GROUP + t) = sum[i];
            }
        wr_transpose16(tile, WR_GROUP, g->scores[0] + j, WR_MAX_NEGATIVES);
    }
}

/* ---- (b) the four steps of a task ------------------------------------------------------------------------------- */

WR_INLINE void wr_score_pairs(int pair_loss, const wr_cell *cell, const wr_task *task, const float *u, wr_task_pairs *p) {
    p->n = task->n_pairs, p->pair = cell->pairs + task->first;
    p->xi = cell->pair_xi ? cell->pair_xi + task->first : NULL;
    memset(p->rank, 0, sizeof p->rank);
    memset(p->threshold, 0, sizeof p->threshold);
    for (int64_t i = 0; i < p->n; i++) {
        p->v[i] = cell->contexts + p->pair[i].row * cell->stride;
        p->weight[i] = (float)p->pair[i].weight / cell->weight_scale;
        p->threshold[i] = wr_dot(u, p->v[i], cell->stride);
    }
    for (int64_t i = 0; i < p->n; i += WR_LANES)
        WR_AT(p->threshold, i) = wr_margin_threshold(pair_loss, WR_READ(p->threshold, i));
    for (int64_t i = p->n; i < WR_TASK_PAIRS; i++) p->threshold[i] = WR_NO_VIOLATION(pair_loss);
}

/* rank = sum over negatives c' != c of importance * l(s_c - s_c'): equation (2). Prefetches the contexts of the next task. */
WR_INLINE void wr_rank_pairs(
    int pair_loss, const wr_cell *cell, const wr_negatives *negatives, const float *scores, const wr_task *next, wr_task_pairs *p
) {
    for (int64_t i = 0; i < p->n; i += 4) {
        wr_prefetch_contexts(cell, cell->pairs + next->first + i, i + 4 < next->n_pairs ? 4 : next->n_pairs - i);
        wr_sum_losses(pair_loss, scores, negatives->importance, negatives->n, p->threshold + i, p->rank + i);
    }
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t own = negatives->index_of[p->pair[i].row]; /* c' = c does not count */
        if (own < 0) continue;
        const wr_lanes violation = wr_violation(pair_loss, WR_SPLAT(scores[own]), WR_SPLAT(p->threshold[i]));
        p->rank[i] -= negatives->importance[own] * wr_violation_loss(pair_loss, violation)[0];
    }
}

/* rho((rank + beta) / alpha) and rho'((sharpness * rank + beta) / alpha); the default rho_1 in vectors of floats. */
WR_INLINE void wr_rank_losses(const wr_options *o, const float *rank, float *rho, float *slope) {
    const float per_scale = 1.0f / o->rank_scale;
    float x[WR_TASK_PAIRS], sharp[WR_TASK_PAIRS];
    for (int64_t i = 0; i < WR_TASK_PAIRS; i++) {
        const float positive = rank[i] > 0.0f ? rank[i] : 0.0f;
        x[i] = (positive + o->rank_offset) * per_scale;
        sharp[i] = (positive * o->sharpness + o->rank_offset) * per_scale;
    }
    if (o->rank_loss == WR_LOG) {
        for (int64_t i = 0; i < WR_TASK_PAIRS; i += WR_LANES) {
            WR_AT(rho, i) = wr_log2(1.0f + WR_READ(x, i));
            WR_AT(slope, i) = (float)(1.0 / WR_LN2) / (1.0f + WR_READ(sharp, i));
        }
        return;
    }
    for (int64_t i = 0; i < WR_TASK_PAIRS; i++) {
        rho[i] = (float)wr_rank_loss(o->rank_loss, o->t, x[i]);
        slope[i] = (float)wr_rank_slope(o->rank_loss, o->t, sharp[i]);
    }
}

/* At stored xi: the bound rho(1/xi) + rho'(1/xi) ((rank + beta) / alpha - 1/xi) of equation (11), and its slope rho'(1/xi) */
WR_INLINE void wr_bound_losses(const wr_options *o, const float *xi, const float *rank, int64_t n, float *rho, float *slope) {
    for (int64_t i = 0; i < n; i++) {
        const float at = 1.0f / xi[i], x = ((rank[i] > 0.0f ? rank[i] : 0.0f) + o->rank_offset) / o->rank_scale;
        slope[i] = (float)wr_rank_slope(o->rank_loss, o->t, at);
        rho[i] = (float)wr_rank_loss(o->rank_loss, o->t, at) + slope[i] * (x - at);
    }
}

/* gradient = weight * gradient_scale * rho' * sum over c' != c of importance * -l'(s_c - s_c'), and each c' gets its term of the sum
 * with the opposite sign; return the sum of weight * rho.
 */
WR_INLINE double wr_pair_gradients(
    int pair_loss, const wr_options *o, const wr_negatives *negatives, const float *scores, wr_task_pairs *p,
    float *negative_gradient
) {
    float rho[WR_TASK_PAIRS], slope[WR_TASK_PAIRS], scale[WR_TASK_PAIRS] = {0};
    double loss = 0.0;
    if (p->xi)
        wr_bound_losses(o, p->xi, p->rank, p->n, rho, slope);
    else
        wr_rank_losses(o, p->rank, rho, slope);
    for (int64_t i = 0; i < p->n; i++) {
        loss += p->weight[i] * rho[i];
        scale[i] = p->weight[i] * slope[i] * o->gradient_scale;
    }
    for (int64_t i = 0; i < p->n; i += 4)
        wr_sum_gradients(
            pair_loss, scores, negatives->importance, negatives->n, p->threshold + i, scale + i, negative_gradient,
            p->gradient + i);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t own = negatives->index_of[p->pair[i].row];
        if (own < 0) continue;
        const wr_lanes violation = wr_violation(pair_loss, WR_SPLAT(scores[own]), WR_SPLAT(p->threshold[i]));
        const float of_own = negatives->importance[own] * wr_violation_gradient(pair_loss, violation, WR_SPLAT(scale[i]))[0];
        p->gradient[i] -= of_own;
        negative_gradient[own] -= of_own;
    }
    return loss;
}

/* v_c += rate * gradient * u_w, with weight decay, and word_gradient += gradient * v_c. The contexts of a task are distinct, so their
 * order does not matter.
 */
WR_INLINE void wr_apply_pair_gradients(const wr_cell *cell, const float *u, const wr_task_pairs *p, float *word_gradient) {
    const wr_options *o = cell->options;
    const float squared_norm = wr_dot(u, u, cell->stride);
    float step[WR_TASK_PAIRS], decay[WR_TASK_PAIRS], bias[WR_TASK_PAIRS];
    for (int64_t i = 0; i < p->n; i++) {
        float *accumulator = cell->context_accumulator + p->pair[i].row;
        const float rate = wr_row_rate(o, accumulator, p->gradient[i] * p->gradient[i] * squared_norm);
        decay[i] = wr_weight_decay_factor(o, rate, p->weight[i]);
        step[i] = rate * p->gradient[i];
        bias[i] = p->v[i][o->vector_size] + step[i] * o->bias;
    }
    for (int64_t d = 0; d < cell->stride; d += WR_LANES) {
        wr_lanes of_word = WR_READ(u, d), sum = WR_AT(word_gradient, d);
        for (int64_t i = 0; i < p->n; i++) {
            wr_lanes old = WR_READ(p->v[i], d);
            sum = wr_fma(WR_SPLAT(p->gradient[i]), old, sum);
            WR_AT(p->v[i], d) = wr_fma(WR_SPLAT(decay[i]), old, step[i] * of_word);
        }
        WR_AT(word_gradient, d) = sum;
    }
    for (int64_t i = 0; i < p->n; i++) p->v[i][o->vector_size] = bias[i]; /* without weight decay */
}

/* ---- (c) gradients of a group ----------------------------------------------------------------------------------- */

/* word_gradient[t] -= sum over j of negative_gradient[t][j] v_j */
WR_INLINE void wr_accumulate_negative_gradient(const wr_cell *cell, wr_group *g) {
    for (int t = 0; t < WR_GROUP; t += 4)
        for (int64_t d = 0; d < cell->stride; d += WR_LANES) {
            wr_lanes sum[4] = {{0}};
            for (int64_t j = 0; j < g->negatives.n; j++) {
                wr_lanes v = WR_READ(g->negatives.v[j], d);
                for (int i = 0; i < 4; i++) sum[i] = wr_fma(WR_SPLAT(g->negative_gradient[t + i][j]), v, sum[i]);
            }
            for (int i = 0; i < 4; i++) WR_AT(g->word_gradient + (t + i) * cell->stride, d) -= sum[i];
        }
}

/* v_j -= rate * sum over t of negative_gradient[t][j] u_t, for the four negatives from j on */
WR_INLINE void wr_apply_negative_gradient(const wr_cell *cell, wr_group *g, int64_t j) {
    const int64_t stride = cell->stride;
    const float *coefficient = g->negative_gradient[0] + j;
    float *gradient = g->context_gradient;
    wr_lanes square[4] = {{0}};
    for (int64_t d = 0; d < stride; d += WR_LANES) {
        wr_lanes sum[4] = {{0}};
        for (int t = 0; t < WR_GROUP; t++) {
            wr_lanes u = WR_READ(g->u + t * stride, d);
            for (int i = 0; i < 4; i++) sum[i] = wr_fma(WR_SPLAT(coefficient[t * WR_MAX_NEGATIVES + i]), u, sum[i]);
        }
        for (int i = 0; i < 4; i++) {
            square[i] = wr_fma(sum[i], sum[i], square[i]);
            WR_AT(gradient + i * stride, d) = sum[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        const float rate = wr_row_rate(cell->options, g->negatives.accumulator[j + i], wr_sum_lanes(square[i]));
        float *v = g->negatives.v[j + i];
        for (int64_t d = 0; d < stride; d += WR_LANES) WR_AT(v, d) = wr_fma(WR_SPLAT(-rate), WR_READ(gradient + i * stride, d), WR_READ(v, d));
    }
}

/* u_w += rate * gradient, with weight decay; the bias coordinate stays as it is. */
WR_INLINE void wr_apply_word_gradient(const wr_cell *cell, int32_t row, float *gradient, float weight) {
    const wr_options *o = cell->options;
    float *u = cell->words + row * cell->stride;
    gradient[o->vector_size] = 0.0f;
    const float rate = wr_row_rate(o, cell->word_accumulator + row, wr_dot(gradient, gradient, cell->stride));
    const float decay = wr_weight_decay_factor(o, rate, weight);
    for (int64_t d = 0; d < cell->stride; d += WR_LANES)
        WR_AT(u, d) = wr_fma(WR_SPLAT(decay), WR_READ(u, d), rate * WR_READ(gradient, d));
    u[o->vector_size] = o->bias;
}

/* ---- the cell --------------------------------------------------------------------------------------------------- */

/* Process one task, number t of its group; return the sum of weight * rho. */
WR_INLINE double wr_run_task(int pair_loss, wr_cell *cell, wr_group *g, int64_t t, const wr_task *task, const wr_task *next) {
    const float *u = g->u + t * cell->stride;
    float *scores = g->scores[t];
    wr_task_pairs pairs;
    wr_prefetch_negatives(&cell->sampler, t, WR_GROUP, cell->contexts, cell->stride);
    if (pair_loss == WR_LOGISTIC) wr_exp2_inplace(scores, g->negatives.n);
    wr_score_pairs(pair_loss, cell, task, u, &pairs);
    wr_rank_pairs(pair_loss, cell, &g->negatives, scores, next, &pairs);
    const double loss = wr_pair_gradients(
        pair_loss, cell->options, &g->negatives, scores, &pairs, g->negative_gradient[t]);
    wr_apply_pair_gradients(cell, u, &pairs, g->word_gradient + t * cell->stride);
    g->weight[t] = 0.0f;
    for (int64_t i = 0; i < pairs.n; i++) g->weight[t] += pairs.weight[i];
    return loss;
}

WR_INLINE double wr_run_tasks(int pair_loss, wr_cell *cell, const wr_task *tasks, int64_t n_tasks, float *workspace) {
    const int64_t stride = cell->stride, size = WR_GROUP * stride;
    wr_group group;
    group.u = workspace, group.word_gradient = workspace + size;
    group.transposed = workspace + 2 * size, group.context_gradient = workspace + 3 * size;
    double loss = 0.0;
    for (int64_t first = 0; first < n_tasks; first += WR_GROUP) {
        const wr_task *task = tasks + first;
        const int64_t n = n_tasks - first < WR_GROUP ? n_tasks - first : WR_GROUP;
        wr_prefetch_contexts(cell, cell->pairs + task[0].first, task[0].n_pairs);
        wr_sample_negatives(&cell->sampler, cell->contexts, cell->context_accumulator, stride, &group.negatives);
        memset(group.u, 0, (size_t)(2 * size) * sizeof(float)); /* and word_gradient */
        memset(group.negative_gradient, 0, sizeof group.negative_gradient);
        for (int64_t t = 0; t < n; t++)
            memcpy(group.u + t * stride, cell->words + task[t].row * stride, (size_t)stride * sizeof(float));
        wr_score_negatives(cell, &group);
        for (int64_t t = 0; t < n; t++)
            loss += wr_run_task(pair_loss, cell, &group, t, task + t, task + (first + t + 1 < n_tasks ? t + 1 : t));
        wr_accumulate_negative_gradient(cell, &group);
        for (int64_t j = 0; j < group.negatives.n; j += 4) wr_apply_negative_gradient(cell, &group, j);
        for (int64_t t = 0; t < n; t++)
            wr_apply_word_gradient(cell, task[t].row, group.word_gradient + t * stride, group.weight[t]);
        wr_clear_negatives(&cell->sampler, &group.negatives);
    }
    return loss;
}

double WR_KERNEL(wr_run_cell)(wr_cell *cell, wr_task *tasks, float *workspace, uint64_t *random) {
    const int64_t n_tasks = wr_make_tasks(cell, tasks);
    wr_shuffle_tasks(tasks, n_tasks, random);
    wr_fill_table(&cell->sampler, cell->n_contexts, cell->options, random);
    if (cell->options->pair_loss == WR_HINGE) return wr_run_tasks(WR_HINGE, cell, tasks, n_tasks, workspace);
    return wr_run_tasks(WR_LOGISTIC, cell, tasks, n_tasks, workspace);
}

/* Sampling the pairs of a block of words for some blocks of contexts.
 *
 * Pairs (w, c) are sampled in proportion to r_wc, so that pairs of low weight cost little. One pass over a row of the counts serves
 * several cells, and only the sampled pairs are kept, in the order in which tasks will process them.
 */
#include "wr_pair_sampling.h"
#include "wr_math.h"

/* Whether all columns are contexts; a negative column is a large one when read as unsigned. */
WR_INLINE int wr_columns_are_valid(const int32_t *columns, int64_t n, int64_t n_contexts) {
    uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
    for (int64_t j = 0; j < n; j++) largest = largest < (uint32_t)columns[j] ? (uint32_t)columns[j] : largest;
    return n == 0 || largest < n_contexts;
}

/* Write the pairs of one word whose contexts lie in the slots; return how many. No branches: they would be mispredicted. */
WR_INLINE int64_t wr_find_candidates(
    const int32_t *columns, int64_t n, const uint16_t *slot_of, int64_t n_slots, int32_t *restrict pair
) {
    int64_t found = 0;
    for (int64_t j = 0; j < n; j++) {
        pair[found] = (int32_t)j;
        found += slot_of[columns[j]] < n_slots;
    }
    return found;
}

/* The expected draws of each candidate: draws_per_weight * r, r = min(1, (excess / x_max)^epsilon), where
 * excess = max(0, X - expected count). A pair without excess is not drawn, unless all weights are 1 (epsilon = 0).
 */
WR_INLINE void wr_sampling_rates(
    const wr_options *o, const float *count, const int32_t *columns, const int32_t *pair, int64_t n, float word_factor,
    const float *context_factor, float *restrict rate
) {
    const float draws_per_weight = o->draws_per_weight, per_max = 1.0f / o->x_max, epsilon = o->epsilon;
    for (int64_t j = 0; j < n; j++) rate[j] = count[pair[j]] - word_factor * context_factor[columns[pair[j]]];
    for (int64_t j = n; j % WR_LANES; j++) rate[j] = 0.0f;
    for (int64_t j = 0; j < n; j += WR_LANES) {
        const wr_lanes excess = wr_select(WR_READ(rate, j) > 0.0f, WR_READ(rate, j), (wr_lanes){0});
        const wr_lanes r = wr_exp2(epsilon * wr_log2(excess * per_max));
        WR_AT(rate, j) = draws_per_weight * wr_select(r < 1.0f, r, WR_SPLAT(1.0f));
    }
}

/* Keep the candidates that are sampled and write their weights; return how many. A pair with a rate of 1 or more is taken once,
 * with its rate as weight. The others are sampled systematically: one is taken, with weight 1, whenever the running sum of their
 * rates passes an integer. `offset` is the fraction of this sum, in units of 2^-32. It starts at random and continues from call to
 * call, so the number of draws of a word in an epoch is within one of its expectation.
 */
WR_INLINE int64_t wr_systematic_sample(
    int32_t *restrict pair, const float *restrict rate, uint16_t *restrict weight, int64_t n, float weight_scale, uint32_t *offset
) {
    int64_t n_sampled = 0;
    uint32_t sum = *offset;
    for (int64_t j = 0; j < n; j++) {
        const int certain = rate[j] >= 1.0f;
        const uint32_t fraction = certain ? 0 : (uint32_t)(int64_t)(rate[j] * 4294967296.0f);
        sum += fraction;
        pair[n_sampled] = pair[j];
        weight[n_sampled] = (uint16_t)(int32_t)(certain ? rate[j] * weight_scale + 0.5f : weight_scale);
        n_sampled += certain | (sum < fraction);
    }
    *offset = sum;
    return n_sampled;
}

/* Write the sampled pairs of word i, ordered by slot and task, and how many each slot has. Pairs go to the tasks of their slot in turn
 * (round robin): columns are sorted by frequency, so each task gets frequent and rare contexts. Tasks of neighboring columns gave
 * clearly worse vectors.
 */
WR_INLINE void wr_assign_to_tasks(
    const wr_pair_sampler *sampler, const int32_t *columns, const float *xi, int64_t i, int64_t n, wr_pair *pairs, float *pair_xi,
    uint16_t *sizes
) {
    uint16_t *size = sizes + i;
    const int64_t stride = sampler->n_words;
    for (int64_t s = 0; s < sampler->n_slots; s++) size[s * stride] = 0;
    for (int64_t j = 0; j < n; j++) size[sampler->slot_of[columns[sampler->pair[j]]] * stride]++;
    for (int64_t s = 0, start = 0; s < sampler->n_slots; s++) {
        const int64_t n_pairs = size[s * stride], n_tasks = wr_n_tasks(n_pairs), length = n_tasks ? n_pairs / n_tasks : 0;
        sampler->slot[s] = (wr_slot){start, n_tasks, length, n_pairs - length * n_tasks, 0, 0};
        start += n_pairs;
    }
    for (int64_t j = 0; j < n; j++) {
        const int32_t context = columns[sampler->pair[j]];
        wr_slot *slot = sampler->slot + sampler->slot_of[context];
        const int64_t position = slot->start + wr_task_start(slot->length, slot->longer, slot->task) + slot->round;
        pairs[position] = (wr_pair){(uint16_t)sampler->row_of[context], sampler->weight[j]};
        if (xi) pair_xi[position] = xi[sampler->pair[j]];
        if (++slot->task == slot->n_tasks) slot->task = 0, slot->round++;
    }
}

int WR_KERNEL(wr_sample_pairs)(const wr_pair_sampler *s, wr_pair *pairs, float *pair_xi, uint16_t *sizes) {
    const float weight_scale = wr_weight_scale(s->options);
    for (int64_t i = 0; i < s->n_words; i++) {
        const int64_t first = s->indptr[s->count_row[i]], length = s->indptr[s->count_row[i] + 1] - first;
        const int32_t *columns = s->columns + first;
        if (!wr_columns_are_valid(columns, length, s->n_contexts)) return 0;
        int64_t n = wr_find_candidates(columns, length, s->slot_of, s->n_slots, s->pair);
        wr_sampling_rates(s->options, s->counts + first, columns, s->pair, n, s->word_factor[i], s->context_factor, s->rate);
        n = wr_systematic_sample(s->pair, s->rate, s->weight, n, weight_scale, s->offset + i);
        wr_assign_to_tasks(s, columns, s->xi ? s->xi + first : NULL, i, n, pairs, pair_xi, sizes);
        pairs += n;
        if (s->xi) pair_xi += n;
    }
    return 1;
}

/* Drawing the pairs of a block of words for some blocks of contexts.
 *
 * Pairs (w, c) are drawn in proportion to r_wc, so that hardly weighted ones cost nothing. A row of the counts is read once for
 * several cells, and only what was drawn is kept, in the order in which tasks will take it.
 */
#ifndef WR_DRAWS_H
#define WR_DRAWS_H

#include "wr_dispatch.h"
#include "wr_math.h"

enum { WR_TASK_PAIRS = 16, WR_MAX_BLOCKS = 256 };

typedef struct {
    float draws;          /* a pair is drawn draws * r times an epoch on average */
    float x_max, epsilon; /* r = min(1, (X / x_max)^epsilon); epsilon = 0 gives r = 1 */
} wr_draw_options;

/* A drawn pair of a known word: its context, as a row of the block, and its weight in units of 1 / wr_unit */
typedef struct {
    uint16_t row, weight;
} wr_drawn;

/* Weights go up to `draws`; so small a unit gives the smallest of them, 1, exactly and others to 1 part in 6,000. */
WR_INLINE float wr_unit(float draws) { return floorf(65535.0f / (draws > 1.0f ? draws : 1.0f)); }

/* Room for the pairs of the longest row */
typedef struct {
    int32_t *hit;     /* which of the row's pairs */
    float *rate;      /* how often each is to be drawn */
    uint16_t *weight; /* of those that are */
} wr_draw_room;

/* The blocks of contexts that are drawn for at once are slots 0 .. n - 1; contexts of other blocks have higher numbers. */
typedef struct {
    const uint8_t *slot_of; /* of each context */
    const int32_t *row_of;  /* and its row in the block */
    int64_t n, n_contexts;
} wr_slots;

/* Whether all columns are contexts; a negative one is a large one without its sign. */
WR_INLINE int wr_inside(const int32_t *columns, int64_t n, int64_t n_contexts) {
    uint32_t most = 0;
#pragma omp simd reduction(max : most)
    for (int64_t j = 0; j < n; j++) most = most < (uint32_t)columns[j] ? (uint32_t)columns[j] : most;
    return n == 0 || most < n_contexts;
}

/* The pairs of one word whose contexts lie in the slots; without branches, which could not be foretold. */
WR_INLINE int64_t wr_find_hits(
    const int32_t *columns, int64_t n, const uint8_t *slot_of, int64_t n_slots, int32_t *restrict hit
) {
    int64_t n_hits = 0;
    for (int64_t j = 0; j < n; j++) {
        hit[n_hits] = (int32_t)j;
        n_hits += slot_of[columns[j]] < n_slots;
    }
    return n_hits;
}

/* How often each hit of a word is to be drawn: draws * min(1, (excess / x_max)^epsilon), where the excess is what the count has
 * over chance: max(0, X - of_word * of_context), and what has none is not drawn. A weight of 1 (epsilon = 0) needs no excess.
 */
WR_INLINE void wr_rates(
    const float *count, const int32_t *columns, const int32_t *hit, int64_t n, float of_word, const float *of_context,
    const wr_draw_options *p, float *restrict rate
) {
    const float draws = p->draws, per_max = 1.0f / p->x_max, epsilon = p->epsilon;
    for (int64_t j = 0; j < n; j++) rate[j] = count[hit[j]] - of_word * of_context[columns[hit[j]]];
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        float excess = rate[j] > 0.0f ? rate[j] : 0.0f;
        float r = wr_exp2(epsilon * wr_log2(excess * per_max));
        rate[j] = draws * (r < 1.0f ? r : 1.0f);
    }
}

/* Keep the hits that are drawn and write their weights; return how many they are. A pair with a rate of 1 or more is taken once
 * with that weight; the others by systematic sampling: along the row, one is taken with weight 1 whenever the running sum of
 * their rates passes a whole number. `walk` is the fraction of this sum, in units of 2^-32: it starts at random and goes on from
 * call to call, so that over an epoch every word is drawn as often as it should be, to within one.
 */
WR_INLINE int64_t wr_walk(
    int32_t *restrict hit, const float *restrict rate, uint16_t *restrict weight, int64_t n, float unit, uint32_t *walk
) {
    int64_t n_drawn = 0;
    uint32_t at = *walk;
    for (int64_t j = 0; j < n; j++) {
        const int certain = rate[j] >= 1.0f;
        const uint32_t part = certain ? 0 : (uint32_t)(int64_t)(rate[j] * 4294967296.0f);
        at += part;
        hit[n_drawn] = hit[j];
        weight[n_drawn] = (uint16_t)(int32_t)(certain ? rate[j] * unit + 0.5f : unit);
        n_drawn += certain | (at < part);
    }
    *walk = at;
    return n_drawn;
}

/* The `n` drawn pairs of a word and a block are cut into this many tasks, of n / tasks pairs or one more. */
WR_INLINE int64_t wr_n_tasks(int64_t n) { return (n + WR_TASK_PAIRS - 1) / WR_TASK_PAIRS; }

/* Where a task's pairs begin, if `longer` tasks have one pair more than the others, which have `length` */
WR_INLINE int64_t wr_task_start(int64_t length, int64_t longer, int64_t task) {
    return length * task + (task < longer ? task : longer);
}

/* Write the drawn pairs of a word, slot after slot and in each task after task; starts[0 .. n_slots] become the slots' borders.
 * Pairs are dealt to the tasks of their slot like cards: columns stand in order of frequency, and so each task gets some of every
 * kind (tasks of neighbouring columns gave clearly worse vectors).
 */
WR_INLINE void wr_deal(
    const int32_t *columns, const wr_slots *slots, const wr_draw_room *room, int64_t n_drawn, wr_drawn *pairs, int64_t *starts
) {
    struct {
        int64_t n_tasks, length, longer, task, turn;
    } hand[WR_MAX_BLOCKS];
    for (int64_t s = 0; s < slots->n; s++) starts[s + 1] = 0;
    for (int64_t j = 0; j < n_drawn; j++) starts[slots->slot_of[columns[room->hit[j]]] + 1]++;
    for (int64_t s = 0; s < slots->n; s++) {
        const int64_t n = starts[s + 1], n_tasks = wr_n_tasks(n);
        hand[s].n_tasks = n_tasks, hand[s].length = n_tasks ? n / n_tasks : 0, hand[s].longer = n - hand[s].length * n_tasks;
        hand[s].task = hand[s].turn = 0;
        starts[s + 1] += starts[s];
    }
    for (int64_t j = 0; j < n_drawn; j++) {
        const int32_t context = columns[room->hit[j]], s = slots->slot_of[context];
        const int64_t place = wr_task_start(hand[s].length, hand[s].longer, hand[s].task) + hand[s].turn;
        pairs[starts[s] + place] = (wr_drawn){(uint16_t)slots->row_of[context], room->weight[j]};
        if (++hand[s].task == hand[s].n_tasks) hand[s].task = 0, hand[s].turn++;
    }
}

/* Draw the pairs of a block of words; word i and slot s have pairs[starts[i * slots->n + s] .. starts[i * slots->n + s + 1]].
 * Return 0 if a column is no context. */
WR_CLONES static int wr_draw(
    const int32_t *words, int64_t n_words, const int64_t *indptr, const int32_t *columns, const float *counts,
    const float *of_words, const float *of_contexts, const wr_slots *slots, uint32_t *walk, const wr_draw_options *p,
    wr_draw_room *room, wr_drawn *pairs, int64_t *starts
) {
    starts[0] = 0;
    for (int64_t i = 0; i < n_words; i++) {
        const int64_t from = indptr[words[i]], length = indptr[words[i] + 1] - from;
        if (!wr_inside(columns + from, length, slots->n_contexts)) return 0;
        int64_t n = wr_find_hits(columns + from, length, slots->slot_of, slots->n, room->hit);
        wr_rates(counts + from, columns + from, room->hit, n, of_words[i], of_contexts, p, room->rate);
        n = wr_walk(room->hit, room->rate, room->weight, n, wr_unit(p->draws), walk + i);
        wr_deal(columns + from, slots, room, n, pairs, starts + i * slots->n);
    }
    return 1;
}

#endif

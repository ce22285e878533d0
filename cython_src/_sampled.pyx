"""Stage 1 with sampled ranks: one cell of Algorithm 2."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

cdef extern from "wr_sampled.h" nogil:
    const int WR_LANES
    const int WR_MAX_SAMPLES
    const int WR_TASK_PAIRS

    ctypedef struct wr_sampled_options:
        int rank_loss
        int pair_loss
        float t
        float rank_scale
        float rank_offset
        float l2
        float step
        float x_max
        float epsilon
        float draws
        int64_t bias
        int64_t stride
        int64_t n_contexts
        int64_t n_samples

    ctypedef struct wr_task:
        int32_t row

    ctypedef struct wr_draws:
        int32_t *hit
        float *rate
        int32_t *context
        float *weight
        wr_task *task

    void wr_draw(
        const int32_t *words, int64_t n_words, const int64_t *indptr, const int32_t *columns, const float *counts,
        const uint8_t *block_of, uint8_t block, const int32_t *row_of, float *walk, const wr_sampled_options *options,
        uint64_t *random, wr_draws *draws)
    int64_t wr_sampled_room(int64_t stride)
    double wr_train(
        float *words, float *word_past, float *contexts, float *context_past, int64_t n_block,
        const wr_draws *drawn, const wr_sampled_options *options, uint64_t *random, float *room)

LANES = WR_LANES


def run_cell(
    float[:, ::1] words,                # INOUT  U of the block, with the bias coordinate (1) and zeros up to the stride
    float[::1] word_past,               # INOUT  sums of mean squares of past gradients, a row
    float[::1] walk,                    # INOUT  where the drawing of each word's pairs stands, from 0 to 1
    float[:, ::1] contexts,             # INOUT  V of the block, likewise
    float[::1] context_past,            # INOUT
    const int32_t[::1] word_ids,        # rows of the counts that are the words of the block
    const int64_t[::1] indptr,
    const int32_t[::1] columns,
    const float[::1] counts,            # X
    const uint8_t[::1] block_of,        # the block of each context in this epoch
    const int32_t[::1] row_of,          # and its row there
    uint8_t block,
    int64_t vector_size,
    int64_t n_samples,
    double draws,
    int rank_loss,
    int pair_loss,
    double t,
    double rank_scale,
    double rank_offset,
    double x_max,
    double epsilon,
    double l2,
    double step,
    uint64_t seed,
):
    """Draw the pairs of a cell and train on them; return the sum of weight * rho."""
    cdef int64_t i, n, longest = 0, most = 0, n_block = contexts.shape[0], n_words = words.shape[0]
    cdef wr_sampled_options options
    cdef wr_draws drawn
    cdef uint64_t random
    cdef double total
    if words.shape[1] != contexts.shape[1] or words.shape[1] % WR_LANES or vector_size >= words.shape[1]:
        raise ValueError("rows must have one stride, a multiple of the lanes, with room for the bias")
    if not n_words == word_ids.shape[0] == word_past.shape[0] == walk.shape[0] or context_past.shape[0] != n_block:
        raise ValueError("a row of words or contexts has no id, no walk or no past")
    if not 0 < n_samples <= min(n_block, WR_MAX_SAMPLES):
        raise ValueError("n_samples must fit into the block")
    for i in range(word_ids.shape[0]):
        if not 0 <= word_ids[i] < indptr.shape[0] - 1:
            raise ValueError("a word has no row in the counts")
        n = indptr[word_ids[i] + 1] - indptr[word_ids[i]]
        longest, most = max(longest, n), most + n
    if block_of.shape[0] != row_of.shape[0]:
        raise ValueError("block_of and row_of must have an entry a context")
    for i in range(row_of.shape[0]):
        if block_of[i] == block and not 0 <= row_of[i] < n_block:
            raise ValueError("row_of lies outside the block")
    options.rank_loss, options.pair_loss, options.t = rank_loss, pair_loss, t
    options.rank_scale, options.rank_offset = rank_scale, rank_offset
    options.x_max, options.epsilon = x_max, epsilon
    options.l2, options.step, options.draws = l2, step, draws
    options.bias, options.stride = vector_size, words.shape[1]
    options.n_contexts, options.n_samples = row_of.shape[0], n_samples
    # room for every pair of the words; memory that is never written is never taken
    cdef int32_t[::1] hit = np.empty(longest + 1, np.int32), context = np.empty(most + 1, np.int32)
    cdef float[::1] rate = np.empty(longest + 1, np.float32), weight = np.empty(most + 1, np.float32)
    cdef float[::1] room = np.empty(wr_sampled_room(options.stride), np.float32)
    cdef char[::1] task = np.empty((most // WR_TASK_PAIRS + n_words + 1) * sizeof(wr_task), np.int8)
    drawn.hit, drawn.rate, drawn.context, drawn.weight = &hit[0], &rate[0], &context[0], &weight[0]
    drawn.task = <wr_task *> &task[0]
    random = seed
    if most == 0 or n_block < 2:  # nothing to draw, or nothing to rank it against
        return 0.0
    with nogil:
        wr_draw(
            &word_ids[0], n_words, &indptr[0], &columns[0], &counts[0], &block_of[0], block, &row_of[0], &walk[0],
            &options, &random, &drawn)
        total = wr_train(
            &words[0, 0], &word_past[0], &contexts[0, 0], &context_past[0], n_block, &drawn, &options, &random,
            &room[0])
    return total

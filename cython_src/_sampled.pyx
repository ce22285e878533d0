"""Stage 1 with sampled ranks: drawing the pairs of a block of words, and one cell of Algorithm 2."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memmove

import numpy as np

cdef extern from "wr_sampled.h" nogil:
    const int WR_LANES
    const int WR_MAX_BLOCKS
    const int WR_MAX_SAMPLES

    ctypedef struct wr_draw_options:
        float draws
        float x_max
        float epsilon

    ctypedef struct wr_sampled_options:
        int rank_loss
        int pair_loss
        float t
        float rank_scale
        float rank_offset
        float l2
        float step
        float sharpness
        float pull
        float unit
        int64_t bias
        int64_t stride
        int64_t n_contexts
        int64_t n_samples

    ctypedef struct wr_drawn:
        uint16_t row

    ctypedef struct wr_draw_room:
        int32_t *hit
        float *rate
        uint16_t *weight

    ctypedef struct wr_slots:
        const uint8_t *slot_of
        const int32_t *row_of
        int64_t n
        int64_t n_contexts

    ctypedef struct wr_task:
        int32_t row

    ctypedef struct wr_urn:
        const uint16_t *copies
        uint16_t *urn
        int32_t *place_of

    float wr_unit(float draws)
    int64_t wr_n_tasks(int64_t n)
    bint wr_draw(
        const int32_t *words, int64_t n_words, const int64_t *indptr, const int32_t *columns, const float *counts,
        const float *of_words, const float *of_contexts, const wr_slots *slots, uint32_t *walk,
        const wr_draw_options *options, wr_draw_room *room, wr_drawn *pairs, int64_t *starts)
    int64_t wr_sampled_room(int64_t stride)
    double wr_train(
        float *words, float *word_accumulator, int64_t n_words, float *contexts, float *context_accumulator, int64_t n_block,
        const wr_drawn *pairs, const int64_t *starts, int64_t n_slots, wr_task *task,
        wr_urn *urn, const wr_sampled_options *options, uint64_t *random, float *room)

LANES = WR_LANES


cdef int check_draws(double draws) except -1:
    """Refuse what a weight of 16 bits cannot hold."""
    if not 0.0 < draws <= 65535.0:
        raise ValueError("draws must be above 0, up to 65,535")
    return 0


def draw_pairs(
    uint16_t[:, ::1] pairs,             # OUT  room for every pair of the words, and one more
    uint32_t[::1] walk,                 # INOUT  where the drawing of each word's pairs stands, in units of 2^-32
    const int32_t[::1] word_ids,        # rows of the counts that are the words of the block
    const int64_t[::1] indptr,
    const int32_t[::1] columns,         # contexts
    const float[::1] counts,            # X: finite, 0 or above, which is seen to once a run (Cooccurrence.check)
    const float[::1] of_words,          # chance has the count of_words[word] * of_contexts[context]
    const float[::1] of_contexts,
    const uint8_t[::1] slot_of,         # the block of each context: 0 to n_slots - 1, or more if not to be drawn now
    const int32_t[::1] row_of,          # and its row there
    int n_slots,
    double draws,
    double x_max,
    double epsilon,
):
    """Draw the pairs of a block of words with some blocks of contexts.

    Writes the pairs, as (row in the block of contexts, weight times 65535 // draws); returns where those of each word
    and block begin: `starts[word * n_slots + slot]`, and the end.
    """
    cdef int64_t i, n, longest = 0, most = 0, n_words = word_ids.shape[0]
    cdef wr_draw_options options
    cdef wr_draw_room room
    cdef wr_slots slots
    if walk.shape[0] != n_words or of_words.shape[0] != n_words:
        raise ValueError("walk and of_words must have an entry a word")
    check_draws(draws)
    if not 0 < n_slots <= WR_MAX_BLOCKS:
        raise ValueError("n_slots must be from 1 to 256")
    for i in range(n_words):
        if not 0 <= word_ids[i] < indptr.shape[0] - 1:
            raise ValueError("a word has no row in the counts")
        if not 0 <= indptr[word_ids[i]] <= indptr[word_ids[i] + 1] <= columns.shape[0]:
            raise ValueError("indptr points outside the counts")
        n = indptr[word_ids[i] + 1] - indptr[word_ids[i]]
        longest, most = max(longest, n), most + n
    if columns.shape[0] != counts.shape[0]:
        raise ValueError("columns and counts must have an entry a pair")
    if slot_of.shape[0] != row_of.shape[0] or slot_of.shape[0] != of_contexts.shape[0]:
        raise ValueError("slot_of, row_of and of_contexts must have an entry a context")
    for i in range(row_of.shape[0]):
        if not 0 <= row_of[i] < 65536:
            raise ValueError("row_of must be below 65,536")
    if pairs.shape[0] <= most or pairs.shape[1] != 2:
        raise ValueError("there is no room for the pairs")
    starts = np.zeros(n_words * n_slots + 1, np.int64)
    cdef int32_t[::1] hit = np.empty(longest + 1, np.int32)
    cdef float[::1] rate = np.empty(longest + 1, np.float32)
    cdef uint16_t[::1] weight = np.empty(longest + 1, np.uint16)
    cdef int64_t[::1] drawn_starts = starts
    options.draws, options.x_max, options.epsilon = draws, x_max, epsilon
    slots.n, slots.n_contexts = n_slots, slot_of.shape[0]
    room.hit, room.rate, room.weight = &hit[0], &rate[0], &weight[0]
    cdef bint inside = True
    if most:
        slots.slot_of = &slot_of[0] if slots.n_contexts else NULL
        slots.row_of = &row_of[0] if slots.n_contexts else NULL
        with nogil:
            inside = wr_draw(
                &word_ids[0], n_words, &indptr[0], &columns[0], &counts[0],
                &of_words[0], &of_contexts[0] if slots.n_contexts else NULL, &slots, &walk[0], &options, &room,
                <wr_drawn *> &pairs[0, 0], &drawn_starts[0])
    if not inside:
        raise ValueError("a column lies outside the contexts")
    return starts


def drop_first(
    uint16_t[:, ::1] pairs,             # INOUT  of draw_pairs
    const int64_t[::1] starts,
    int n_slots,
):
    """Leave out the pairs of the first of several slots: the others move together. Returns their starts."""
    cdef int64_t i, s, n_words = (starts.shape[0] - 1) // n_slots if n_slots > 1 else 0
    if n_slots < 2 or starts.shape[0] != n_words * n_slots + 1 or pairs.shape[1] != 2:
        raise ValueError("the pairs were drawn for another number of slots, or for one")
    if starts[0] < 0 or starts[n_words * n_slots] > pairs.shape[0]:
        raise ValueError("starts lie outside the pairs")
    for i in range(n_words * n_slots):
        if starts[i] > starts[i + 1]:
            raise ValueError("starts lie outside the pairs")
    left = np.zeros(n_words * (n_slots - 1) + 1, np.int64)
    cdef int64_t[::1] ends = left[1:]
    cdef int64_t end = 0
    cdef wr_drawn *drawn = <wr_drawn *> &pairs[0, 0] if pairs.shape[0] else NULL
    with nogil:
        for i in range(n_words):
            if starts[i * n_slots + 1] < starts[(i + 1) * n_slots]:
                memmove(
                    drawn + end, drawn + starts[i * n_slots + 1],
                    (starts[(i + 1) * n_slots] - starts[i * n_slots + 1]) * sizeof(wr_drawn))
            for s in range(1, n_slots):
                end += starts[i * n_slots + s + 1] - starts[i * n_slots + s]
                ends[i * (n_slots - 1) + s - 1] = end
    return left


def run_cell(
    float[:, ::1] words,                # INOUT  U of the block, with the bias coordinate (1) and zeros up to the stride
    float[::1] word_accumulator,               # INOUT  sums of mean squares of past gradients, a row
    float[:, ::1] contexts,             # INOUT  V of the block, likewise
    float[::1] context_accumulator,            # INOUT
    const uint16_t[::1] copies,         # how often each context of the block lies in the urn that is sampled from
    const uint16_t[:, ::1] pairs,       # of draw_pairs
    const int64_t[::1] starts,
    int n_slots,                        # the blocks of contexts that it drew for, of which this is the first
    double draws,
    int64_t n_contexts,                 # of all blocks
    int64_t vector_size,
    int64_t n_samples,
    int rank_loss,
    int pair_loss,
    double t,
    double rank_scale,
    double rank_offset,
    double sharpness,                   # of the ranks at which steps take rho'
    double pull,                        # what it is multiplied by
    double l2,
    double step,
    uint64_t seed,
):
    """Train on the drawn pairs of a cell; return the sum of weight * rho."""
    cdef int64_t i, j, n_tasks = 0, n_urn = 0, n_block = contexts.shape[0], n_words = words.shape[0]
    cdef wr_sampled_options options
    cdef wr_urn urn
    cdef uint64_t random = seed
    cdef double total
    if words.shape[1] != contexts.shape[1] or words.shape[1] % WR_LANES or not 0 < vector_size < words.shape[1]:
        raise ValueError("rows must have one stride, a multiple of the lanes, with room for the bias")
    check_draws(draws)
    if word_accumulator.shape[0] != n_words or context_accumulator.shape[0] != n_block:
        raise ValueError("a row of words or contexts has no past")
    if copies.shape[0] != n_block or n_block > 65536:
        raise ValueError("a block has up to 65,536 contexts, and a number of copies of each")
    for i in range(n_block):
        if copies[i] == 0:
            raise ValueError("every context must lie in the urn")
        n_urn += copies[i]
    if not 0 < n_samples <= min(n_block, WR_MAX_SAMPLES):
        raise ValueError("n_samples must fit into the block")
    if n_slots < 1 or starts.shape[0] != n_words * n_slots + 1 or pairs.shape[1] != 2:
        raise ValueError("the pairs were drawn for other words or blocks")
    for i in range(0, n_words * n_slots, n_slots):
        if not 0 <= starts[i] <= starts[i + 1] <= pairs.shape[0]:
            raise ValueError("starts lie outside the pairs")
        n_tasks += wr_n_tasks(starts[i + 1] - starts[i])
        for j in range(starts[i], starts[i + 1]):
            if pairs[j, 0] >= n_block:
                raise ValueError("a pair lies outside the block")
    if n_tasks == 0 or n_block < 2:  # nothing is drawn, or there is nothing to rank it against
        return 0.0
    options.rank_loss, options.pair_loss, options.t = rank_loss, pair_loss, t
    options.rank_scale, options.rank_offset = rank_scale, rank_offset
    options.sharpness, options.pull = sharpness, pull
    options.l2, options.step, options.unit = l2, step, wr_unit(draws)
    options.bias, options.stride = vector_size, words.shape[1]
    options.n_contexts, options.n_samples = n_contexts, n_samples
    cdef float[::1] room = np.empty(wr_sampled_room(options.stride), np.float32)
    cdef char[::1] task = np.empty(n_tasks * sizeof(wr_task), np.int8)
    cdef uint16_t[::1] lots = np.empty(n_urn, np.uint16)
    cdef int32_t[::1] place_of = np.empty(n_block, np.int32)
    urn.copies, urn.urn, urn.place_of = &copies[0], &lots[0], &place_of[0]
    with nogil:
        total = wr_train(
            &words[0, 0], &word_accumulator[0], n_words, &contexts[0, 0], &context_accumulator[0], n_block,
            <const wr_drawn *> &pairs[0, 0], &starts[0], n_slots, <wr_task *> &task[0], &urn, &options,
            &random, &room[0])
    return total

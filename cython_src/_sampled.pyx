"""Stage 1 with sampled ranks: sampling the pairs of a block of words, and training one cell of Algorithm 2."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef extern from "wr_cell.h" nogil:
    const int WR_ROW_FLOATS
    const int WR_MAX_SLOTS
    const int WR_MAX_NEGATIVES

    ctypedef struct wr_options:
        float draws_per_weight, x_max, epsilon
        int rank_loss, pair_loss
        float t, rank_scale, rank_offset, sharpness, gradient_scale, l2, learning_rate, bias
        int adagrad
        int64_t vector_size, n_contexts, n_negatives

    ctypedef struct wr_pair:
        uint16_t row, weight

    ctypedef struct wr_slot:
        int64_t start

    ctypedef struct wr_pair_sampler:
        const wr_options *options
        int64_t n_words, n_contexts, n_slots
        const int32_t *count_row
        const int64_t *indptr
        const int32_t *columns
        const float *counts
        const float *xi
        const float *word_factor
        const float *context_factor
        const uint16_t *slot_of
        const int32_t *row_of
        uint32_t *offset
        int32_t *pair
        float *rate
        uint16_t *weight
        wr_slot *slot

    ctypedef struct wr_negative_sampler:
        const uint16_t *weight
        uint16_t *table
        int32_t *index_of

    ctypedef struct wr_task:
        int32_t row

    ctypedef struct wr_cell:
        const wr_options *options
        float *words
        float *word_accumulator
        float *contexts
        float *context_accumulator
        int64_t n_words, n_contexts, stride
        const wr_pair *pairs
        const float *pair_xi
        const uint16_t *sizes
        float weight_scale
        wr_negative_sampler sampler

    float wr_weight_scale(const wr_options *options)
    int64_t wr_n_tasks(int64_t n)
    bint wr_sample_pairs(const wr_pair_sampler *sampler, wr_pair *pairs, float *pair_xi, uint16_t *sizes)
    int64_t wr_workspace_size(int64_t stride)
    double wr_run_cell(wr_cell *cell, wr_task *tasks, float *workspace, uint64_t *random)

ROW_FLOATS = WR_ROW_FLOATS


cdef class EpochOptions:
    """Parameters of one epoch, shared by all calls of `sample_pairs` and `run_cell`: the fields of wr_options."""

    cdef wr_options c

    def __cinit__(self, **parameters):
        self.c = parameters
        if len(parameters) > len(dict(self.c)):
            raise TypeError(f"unknown parameters: {sorted(parameters.keys() - dict(self.c).keys())}")
        if not 0.0 < self.c.draws_per_weight <= 65535.0:  # weights have 16 bits
            raise ValueError("draws_per_weight must be above 0 and at most 65,535")
        if not 0 < self.c.n_negatives <= WR_MAX_NEGATIVES:
            raise ValueError("n_negatives must be from 1 to 256")

    @property
    def weight_scale(self) -> float:
        """Factor of the weights of sampled pairs, which are stored as integers."""
        return wr_weight_scale(&self.c)


def sample_pairs(
    uint16_t[:, ::1] pairs,             # OUT  room for all pairs of the words, and one more
    uint32_t[::1] offsets,              # INOUT  systematic-sampling offset of each word, in units of 2^-32
    const int32_t[::1] word_rows,       # the rows of the counts that are the words of the block
    tuple counts,                       # (indptr, columns, counts); Cooccurrence.validate has verified the counts
    tuple factors,                      # (of_words, of_contexts): their product is a pair's expected count
    tuple slots,                        # (slot_of, row_of, n_slots): block of each context and its row there
    EpochOptions options not None,
    const float[::1] xi=None,           # stored for each count
    float[::1] pair_xi=None,            # OUT  those of the sampled pairs; as long as `pairs`
):
    """Sample the pairs of a block of words with the blocks of contexts 0 to n_slots - 1.

    Write (row in the block of contexts, weight times 65535 // draws_per_weight) of each sampled pair, word by word and
    ordered by slot. Return how many each word has in each slot, `sizes[slot, word]`.
    """
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] columns, row_of
    cdef const float[::1] values, word_factor, context_factor
    cdef const uint16_t[::1] slot_of
    cdef int64_t n_slots, longest, n_words = word_rows.shape[0]
    indptr, columns, values = counts
    word_factor, context_factor = factors
    slot_of, row_of, n_slots = slots
    if offsets.shape[0] != n_words or word_factor.shape[0] != n_words:
        raise ValueError("offsets and the factors of words must have one entry per word")
    if not 0 < n_slots <= WR_MAX_SLOTS:
        raise ValueError(f"n_slots must be from 1 to {WR_MAX_SLOTS:,}")
    if columns.shape[0] != values.shape[0]:
        raise ValueError("columns and counts must have one entry per pair")
    if slot_of.shape[0] != row_of.shape[0] or slot_of.shape[0] != context_factor.shape[0]:
        raise ValueError("slot_of, row_of and the factors of contexts must have one entry per context")
    if xi is not None and (pair_xi is None or xi.shape[0] != values.shape[0] or pair_xi.shape[0] != pairs.shape[0]):
        raise ValueError("xi must have one entry per count, and pair_xi one per pair")
    longest = check_rows(pairs, word_rows, indptr, columns.shape[0], row_of)
    sizes = np.zeros((n_slots, n_words), np.uint16)
    if longest == 0:
        return sizes
    if slot_of.shape[0] == 0:
        raise ValueError("a column lies outside the contexts")
    cdef int32_t[::1] sampled = np.empty(longest + 1, np.int32)
    cdef float[::1] rate = np.empty(longest + WR_ROW_FLOATS, np.float32)
    cdef uint16_t[::1] weight = np.empty(longest + 1, np.uint16)
    cdef char[::1] slot = np.empty(n_slots * sizeof(wr_slot), np.int8)
    cdef uint16_t[:, ::1] sizes_out = sizes
    cdef bint valid
    cdef const float *stored = NULL
    cdef float *of_pairs = NULL
    if xi is not None:
        stored, of_pairs = &xi[0], &pair_xi[0]
    cdef wr_pair_sampler sampler = wr_pair_sampler(
        &options.c, n_words, slot_of.shape[0], n_slots, &word_rows[0], &indptr[0], &columns[0], &values[0],
        stored, &word_factor[0], &context_factor[0], &slot_of[0], &row_of[0], &offsets[0], &sampled[0], &rate[0],
        &weight[0], <wr_slot *> &slot[0])
    with nogil:
        valid = wr_sample_pairs(&sampler, <wr_pair *> &pairs[0, 0], of_pairs, &sizes_out[0, 0])
    if not valid:
        raise ValueError("a column lies outside the contexts")
    return sizes


cdef int64_t check_rows(
    const uint16_t[:, ::1] pairs, const int32_t[::1] word_rows, const int64_t[::1] indptr, int64_t n_columns,
    const int32_t[::1] row_of,
) except -1:
    """Return the length of the longest row; raise ValueError if one lies outside the counts or pairs do not fit."""
    cdef int64_t i, n, longest = 0, total = 0
    for i in range(word_rows.shape[0]):
        if not 0 <= word_rows[i] < indptr.shape[0] - 1:
            raise ValueError("a word has no row in the counts")
        if not 0 <= indptr[word_rows[i]] <= indptr[word_rows[i] + 1] <= n_columns:
            raise ValueError("indptr points outside the counts")
        n = indptr[word_rows[i] + 1] - indptr[word_rows[i]]
        longest, total = max(longest, n), total + n
    for i in range(row_of.shape[0]):
        if not 0 <= row_of[i] < 65535:
            raise ValueError("row_of must be below 65,535")
    if pairs.shape[0] <= total or pairs.shape[1] != 2:
        raise ValueError("pairs has no room for all pairs of the words")
    return longest


def sort_by_slot(
    const uint16_t[:, ::1] pairs,       # from sample_pairs
    const uint16_t[:, ::1] sizes,
    uint16_t[:, ::1] sorted_pairs,      # OUT  as long as the sum of `sizes`
    const float[::1] pair_xi=None,      # as long as `pairs`
    float[::1] sorted_xi=None,          # OUT  as long as `sorted_pairs`
):
    """Sort sampled pairs by slot, those of a slot word by word."""
    cdef int64_t i, s, n, first = 0, n_slots = sizes.shape[0], n_words = sizes.shape[1]
    starts = np.cumsum(np.sum(sizes, axis=1, dtype=np.int64))
    cdef int64_t total = starts[-1] if n_slots else 0
    if pairs.shape[1] != 2 or sorted_pairs.shape[1] != 2 or pairs.shape[0] < total or sorted_pairs.shape[0] != total:
        raise ValueError("the sizes are those of other pairs")
    if pair_xi is not None and (
            pair_xi.shape[0] != pairs.shape[0] or sorted_xi is None or sorted_xi.shape[0] != total):
        raise ValueError("pair_xi must have one entry per pair")
    if total == 0:
        return
    starts = np.concatenate([[0], starts[:-1]])
    cdef int64_t[::1] start = starts
    cdef const wr_pair *source = <const wr_pair *> &pairs[0, 0]
    cdef wr_pair *target = <wr_pair *> &sorted_pairs[0, 0]
    with nogil:
        for i in range(n_words):
            for s in range(n_slots):
                n = sizes[s, i]
                if n == 0:
                    continue
                memcpy(target + start[s], source + first, n * sizeof(wr_pair))
                if pair_xi is not None:
                    memcpy(&sorted_xi[start[s]], &pair_xi[first], n * sizeof(float))
                first += n
                start[s] += n


def run_cell(
    tuple words,                        # INOUT  (vectors, accumulator) of the block: U, the bias coordinate 1, zeros
    tuple contexts,                     # INOUT  (vectors, accumulator) of the block: V, the bias, zeros
    const uint16_t[::1] negative_weights,  # entries of each context in the table of the negative sampler
    tuple pairs,                        # (pairs, sizes): the sampled pairs, word by word, and how many each word has
    EpochOptions options not None,
    uint64_t seed,
    const float[::1] pair_xi=None,      # stored xi of the pairs; without it, xi follows from the estimated ranks
):
    """Train one cell on its sampled pairs; return the sum of weight * rho."""
    cdef float[:, ::1] u, v
    cdef float[::1] u_accumulator, v_accumulator
    cdef const uint16_t[:, ::1] sampled
    cdef const uint16_t[::1] sizes
    cdef int64_t n_table, n_tasks
    cdef double loss
    u, u_accumulator = words
    v, v_accumulator = contexts
    sampled, sizes = pairs
    if u.shape[1] != v.shape[1] or u.shape[1] % WR_ROW_FLOATS or not 0 < options.c.vector_size < u.shape[1]:
        raise ValueError("rows must have one stride, a multiple of 16, with room for the bias")
    if u_accumulator.shape[0] != u.shape[0] or v_accumulator.shape[0] != v.shape[0]:
        raise ValueError("accumulators must have one entry per row")
    if sizes.shape[0] != u.shape[0] or sampled.shape[1] != 2:
        raise ValueError("the pairs were sampled for other words")
    if pair_xi is not None and pair_xi.shape[0] != sampled.shape[0]:
        raise ValueError("pair_xi must have one entry per pair")
    n_table = check_weights(negative_weights, v.shape[0])
    n_tasks = check_pairs(sampled, sizes, v.shape[0])
    if n_tasks == 0 or v.shape[0] < 2:  # no pairs, or nothing to rank them against
        return 0.0
    cdef float[::1] workspace = np.empty(wr_workspace_size(u.shape[1]), np.float32)
    cdef char[::1] tasks = np.empty(n_tasks * sizeof(wr_task), np.int8)
    cdef uint16_t[::1] table = np.empty(n_table, np.uint16)
    cdef int32_t[::1] index_of = np.empty(v.shape[0], np.int32)
    cdef const float *stored = NULL
    if pair_xi is not None:
        stored = &pair_xi[0]
    cdef wr_cell cell = wr_cell(
        &options.c, &u[0, 0], &u_accumulator[0], &v[0, 0], &v_accumulator[0], u.shape[0], v.shape[0], u.shape[1],
        <const wr_pair *> &sampled[0, 0], stored, &sizes[0], wr_weight_scale(&options.c),
        wr_negative_sampler(&negative_weights[0], &table[0], &index_of[0]))
    with nogil:
        loss = wr_run_cell(&cell, <wr_task *> &tasks[0], &workspace[0], &seed)
    return loss


cdef int64_t check_weights(const uint16_t[::1] negative_weights, int64_t n_contexts) except -1:
    """Return the size of the sampler's table; raise ValueError if not every context of the block is in it."""
    cdef int64_t i, n_table = 0
    if negative_weights.shape[0] != n_contexts or n_contexts > 65536:
        raise ValueError("a block has up to 65,536 contexts, each with a negative-sampling weight")
    for i in range(n_contexts):
        if negative_weights[i] == 0:
            raise ValueError("negative-sampling weights must be 1 or more")
        n_table += negative_weights[i]
    return n_table


cdef int64_t check_pairs(
    const uint16_t[:, ::1] pairs, const uint16_t[::1] sizes, int64_t n_contexts
) except -1:
    """Return the number of tasks; raise ValueError if a pair lies outside the arrays."""
    cdef int64_t i, total = 0, n_tasks = 0
    cdef uint16_t largest = 0
    for i in range(sizes.shape[0]):
        total += sizes[i]
        n_tasks += wr_n_tasks(sizes[i])
    if total != pairs.shape[0]:
        raise ValueError("the sizes are those of other pairs")
    for i in range(total):
        largest = max(largest, pairs[i, 0])
    if total and largest >= n_contexts:
        raise ValueError("a pair lies outside the block")
    return n_tasks

/* Train one cell with both losses and print time and hash: a test of the kernels for systems without Python. See cross.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wr_cell.h"
#include "wr_losses.h"

enum { N = 1000, STRIDE = 112, SIZE = 100, PAIRS = 60, EPOCHS = 8 };

static uint64_t hash(const void *data, size_t n) { /* FNV-1a */
    const unsigned char *byte = data;
    uint64_t h = 0xCBF29CE484222325ULL;
    while (n--) h = (h ^ *byte++) * 0x100000001B3ULL;
    return h;
}

static float u[N * STRIDE], v[N * STRIDE], u_accumulator[N], v_accumulator[N], workspace[(3 * WR_GROUP + 4) * STRIDE];
static wr_pair pairs[N * PAIRS];
static wr_task tasks[N * PAIRS];
static uint16_t sizes[N];
static uint16_t weights[N], table[N];
static int32_t index_of[N];

int main(void) {
    uint64_t random = 1;
    for (int i = 0; i < N; i++) {
        for (int d = 0; d < SIZE; d++) {
            u[i * STRIDE + d] = (float)wr_random_below(&random, 1000) / 5000.0f - 0.1f;
            v[i * STRIDE + d] = (float)wr_random_below(&random, 1000) / 5000.0f - 0.1f;
        }
        u[i * STRIDE + SIZE] = 1.0f;
        u_accumulator[i] = v_accumulator[i] = 0.1f, weights[i] = 1, sizes[i] = PAIRS;
        for (int p = 0; p < PAIRS; p++) pairs[i * PAIRS + p] = (wr_pair){(uint16_t)(p * 16 + wr_random_below(&random, 16)), 3000};
    }
    for (int loss = WR_HINGE; loss <= WR_LOGISTIC; loss++) {
        const wr_options o = {
            .draws_per_weight = 20.0f, .x_max = 100.0f, .epsilon = 0.75f, .rank_loss = WR_LOG, .pair_loss = loss, .t = 1.5f,
            .rank_scale = 100.0f, .rank_offset = 99.0f, .sharpness = 2.0f, .gradient_scale = 0.01f, .l2 = 0.01f,
            .learning_rate = 0.1f, .bias = 1.0f, .adagrad = 1, .vector_size = SIZE, .n_contexts = N, .n_negatives = 200};
        wr_cell cell = {
            .options = &o, .words = u, .word_accumulator = u_accumulator, .contexts = v, .context_accumulator = v_accumulator,
            .n_words = N, .n_contexts = N, .stride = STRIDE, .pairs = pairs, .sizes = sizes,
            .weight_scale = wr_weight_scale(&o), .sampler = {.weight = weights, .table = table, .index_of = index_of}};
        const clock_t before = clock();
        double sum = 0.0;
        for (int epoch = 0; epoch < EPOCHS; epoch++) sum += wr_run_cell(&cell, tasks, workspace, &random);
        printf("level %d, %s: %.3f s, loss %.4f, vectors %016llx\n", wr_cpu_level, loss == WR_HINGE ? "hinge" : "logistic",
               (double)(clock() - before) / CLOCKS_PER_SEC, sum, (unsigned long long)hash(u, sizeof u));
    }
    return 0;
}

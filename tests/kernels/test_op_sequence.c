/* test_op_sequence.c -- what works on sequences: embeddings and the LSTM, on odd shapes. */
#include "kernels/embedding/sparse.h"
#include "kernels/embedding/sparse_gpu.h"
#include "kernels/op_shapes.h"

static void check_embedding(int batch, struct dts_dims tokens, size_t vocabulary,
                            size_t features, int most)
{
    struct op_case c = op_alike("embedding", batch, tokens, 1);
    c.call.output.size[c.call.output.count++] = features;
    c.call.param_count = 1;
    c.call.params[0] = vocabulary * features;
    c.most_x = most;
    c.sums = (double)((size_t)batch * dts_dims_elements(&tokens));
    check_op(&c);
}

static void embedding(void)
{
    check_embedding(2, (struct dts_dims){1, {7, 1, 1, 1}}, 11, 5, 11);
    check_embedding(3, (struct dts_dims){1, {9, 1, 1, 1}}, 2, 3, 2); // many of the same
    check_embedding(1, (struct dts_dims){2, {3, 2, 1, 1}}, 50, 17, 50);
    check_embedding(2, (struct dts_dims){1, {7, 1, 1, 1}}, 3, 4, 10); // beyond the table
}

/* Lists of two batches, merged and made dense, are the dense gradient of both. */
static void sparse_gradients_are_the_dense_ones(void)
{
    enum { BATCH = 3, TOKENS = 17, FEATURES = 5, ROWS = 23 };
    struct op_case c = op_alike("embedding", BATCH, (struct dts_dims){1, {TOKENS, 1, 1, 1}}, 1);
    c.call.output.size[c.call.output.count++] = FEATURES;
    c.call.param_count = 1;
    c.call.params[0] = ROWS * FEATURES;
    struct dts_sparse lists[3] = {{0}};
    float dense[ROWS * FEATURES] = {0}, table[ROWS * FEATURES] = {0};
    for (int round = 0; round < 2; round++) { // the second uses the memory of the first
        for (uint64_t i = 0; i < 2; i++) {
            int32_t *tokens = op_integers(BATCH * TOKENS, 0, round == 0 ? ROWS : 9, 70 + i);
            float *dy = op_random(BATCH * TOKENS * FEATURES, 4, 80 + i);
            const struct dts_arrays a = {
                .batch = BATCH, .x = {tokens}, .dy = dy, .dw = {dense}};
            dts_operation_find("embedding")->host.backward(&c.call, &a, &(struct dts_place){0});
            dts_sparse_gradient(&lists[i], &c.call, &a, NULL);
            for (size_t r = 1; r < lists[i].count; r++)
                CHECK(lists[i].rows[r] > lists[i].rows[r - 1]);
            free(tokens);
            free(dy);
        }
        dts_sparse_merge(&lists[2], &lists[0], &lists[1], NULL);
        dts_sparse_add_to(&lists[2], table, 1, NULL);
        CHECK(lists[2].count <= (round == 0 ? ROWS : 9));
    }
    for (int i = 0; i < ROWS * FEATURES; i++)
        CHECK_NEAR((double)table[i], (double)dense[i],
                   64 * 0x1p-24 * (1 + fabs((double)dense[i])));
    for (int i = 0; i < 3; i++)
        dts_sparse_free(&lists[i]);
}

/* Row by row, each the sum of its tokens' gradients in their order. */
static void check_list(const struct dts_sparse *list, size_t vocabulary, size_t features,
                       const int32_t *tokens, const float *dy, size_t count)
{
    size_t at = 0;
    for (size_t row = 0; row < vocabulary; row++)
        for (size_t f = 0; f < features; f++) {
            float sum = 0;
            size_t uses = 0;
            for (size_t i = 0; i < count; i++)
                if ((size_t)tokens[i] % vocabulary == row)
                    sum = uses++ == 0 ? dy[i * features + f] : sum + dy[i * features + f];
            if (uses == 0)
                continue;
            CHECK(at < list->count && (size_t)list->rows[at] == row);
            CHECK(at < list->count && list->values[at * features + f] == sum);
            at += f + 1 == features;
        }
    CHECK_INT(list->count, at);
}

/* The lists of two halves of the tokens, and both merged, by many workers or one. */
static void check_threads(size_t count, size_t vocabulary, size_t features, int threads)
{
    struct op_case c = op_alike("embedding", 1, (struct dts_dims){1, {count, 1, 1, 1}}, 1);
    struct dts_workers *workers = dts_workers_new(threads);
    struct dts_sparse one[3] = {{0}}, many[3] = {{0}};
    int32_t *tokens = op_integers(2 * count, 0, (int)vocabulary + 3, 70);
    float *dy = op_random(2 * count * features, 4, 80);
    c.call.output.size[c.call.output.count++] = features;
    c.call.param_count = 1;
    c.call.params[0] = vocabulary * features;
    for (size_t i = 0; i < 2; i++) {
        const struct dts_arrays a = {
            .batch = 1, .x = {tokens + i * count}, .dy = dy + i * count * features};
        dts_sparse_gradient(&one[i], &c.call, &a, NULL);
        dts_sparse_gradient(&many[i], &c.call, &a, workers);
        check_list(&many[i], vocabulary, features, a.x[0], a.dy, count);
    }
    dts_sparse_merge(&one[2], &one[0], &one[1], NULL);
    dts_sparse_merge(&many[2], &many[0], &many[1], workers);
    for (int i = 0; i < 3; i++) {
        const size_t bytes = one[i].count * sizeof(int32_t);
        CHECK_INT(many[i].count, one[i].count);
        CHECK(memcmp(many[i].rows, one[i].rows, bytes) == 0);
        CHECK(memcmp(many[i].values, one[i].values, bytes * features) == 0);
        dts_sparse_free(&one[i]);
        dts_sparse_free(&many[i]);
    }
    dts_workers_free(workers);
    free(tokens);
    free(dy);
}

static void workers_share_the_rows_of_a_list(void)
{
    for (int threads = 1; threads <= 5; threads += 2) {
        check_threads(1, 9, 4, threads);
        check_threads(61, 1, 3, threads); // one row
        check_threads(61, 2, 17, threads);
        check_threads(200, 41, 5, threads);
        check_threads(37, 5000, 1, threads); // hardly a row twice
    }
}

/* The list of the GPU's version, read back. */
static bool gradient_by_gpu(struct dts_gpu *gpu, const struct dts_op_call *call,
                            const struct dts_arrays *arrays, size_t tokens, size_t features,
                            struct dts_sparse *out)
{
    struct dts_error err = {0};
    struct dts_arrays there = *arrays;
    struct dts_sparse_gpu list = {0};
    const size_t bytes = tokens * features * sizeof(float);
    uint32_t count = 0;
    bool good = dts_gpu_alloc((void **)&there.x[0], tokens * 4, &err) &&
                dts_gpu_alloc((void **)&there.dy, bytes, &err) &&
                dts_gpu_alloc((void **)&list.count, 4, &err) &&
                dts_gpu_alloc((void **)&list.rows, tokens * 4, &err) &&
                dts_gpu_alloc((void **)&list.values, bytes, &err) &&
                dts_gpu_alloc(&list.scratch, tokens * 8, &err) &&
                dts_gpu_write(gpu, (void *)there.x[0], arrays->x[0], tokens * 4, &err) &&
                dts_gpu_write(gpu, (void *)there.dy, arrays->dy, bytes, &err);
    if (good) {
        dts_sparse_gpu_calls.gradient(&list, call, &there, dts_gpu_place(gpu)->stream);
        good = dts_gpu_read(gpu, &count, list.count, 4, &err) &&
               dts_gpu_read(gpu, out->rows, list.rows, count * 4, &err) &&
               dts_gpu_read(gpu, out->values, list.values, count * features * 4, &err);
    }
    out->count = count;
    dts_gpu_free((void *)there.x[0]);
    dts_gpu_free((void *)there.dy);
    dts_gpu_free(list.count);
    dts_gpu_free(list.rows);
    dts_gpu_free(list.values);
    dts_gpu_free(list.scratch);
    return good;
}

/* Where there is one: rows and sums to the last bit. */
static void a_gpu_makes_the_same_list(void)
{
    enum { BATCH = 3, TOKENS = 117, FEATURES = 5, ROWS = 50 };
    struct op_case c = op_alike("embedding", BATCH, (struct dts_dims){1, {TOKENS, 1, 1, 1}}, 1);
    struct dts_gpu *gpu = NULL;
    OP_GPU_OPEN(&gpu);
    c.call.output.size[c.call.output.count++] = FEATURES;
    c.call.param_count = 1;
    c.call.params[0] = ROWS * FEATURES;
    int32_t *tokens = op_integers(BATCH * TOKENS, 0, ROWS + 9, 70), rows[BATCH * TOKENS];
    float *dy = op_random(BATCH * TOKENS * FEATURES, 4, 80), values[BATCH * TOKENS * FEATURES];
    const struct dts_arrays a = {.batch = BATCH, .x = {tokens}, .dy = dy};
    struct dts_sparse want = {0}, got = {.rows = rows, .values = values};
    dts_sparse_gradient(&want, &c.call, &a, NULL);
    CHECK(gradient_by_gpu(gpu, &c.call, &a, BATCH * TOKENS, FEATURES, &got));
    CHECK_INT(got.count, want.count);
    CHECK(memcmp(rows, want.rows, want.count * sizeof(*rows)) == 0);
    CHECK(memcmp(values, want.values, want.count * FEATURES * sizeof(*values)) == 0);
    dts_sparse_free(&want);
    free(tokens);
    free(dy);
    dts_gpu_close(gpu);
}

static void positional_embedding(void)
{
    for (int extra = 0; extra < 3; extra++) { // the table may be longer than the sequence
        struct op_case c =
            op_alike("positional_embedding", 3, (struct dts_dims){2, {7, 5, 1, 1}}, 1);
        c.call.param_count = 1;
        c.call.params[0] = (7 + (size_t)extra) * 5;
        c.sums = 3;
        check_op(&c);
    }
}

static void check_class_token(int batch, struct dts_dims in, size_t rows)
{
    struct op_case c = op_alike("class_token", batch, in, 1);
    c.call.output.size[0] += rows;
    c.call.param_count = 1;
    c.call.params[0] = rows * in.size[1];
    c.sums = batch;
    check_op(&c);
}

static void class_token(void)
{
    check_class_token(3, (struct dts_dims){2, {7, 5, 1, 1}}, 1);
    check_class_token(4, (struct dts_dims){2, {1, 37, 1, 1}}, 3);
    check_class_token(1, (struct dts_dims){2, {9, 1, 1, 1}}, 2);
}

static void mean_over_positions(void)
{
    const struct dts_dims inputs[] = {
        {2, {7, 5, 1, 1}}, {2, {1, 70, 1, 1}}, {3, {5, 9, 129, 1}}, {4, {3, 2, 5, 3}}};
    for (int i = 0; i < 4; i++) {
        struct op_case c = op_alike("mean", 2, inputs[i], 1);
        c.call.output = (struct dts_dims){1, {dts_dims_features(&inputs[i]), 1, 1, 1}};
        c.sums = (double)dts_dims_positions(&inputs[i]);
        check_op(&c);
    }
}

static void check_recurrent(const char *op, size_t gates, int batch, size_t steps,
                            size_t features, size_t outputs)
{
    struct op_case c = op_alike(op, batch, (struct dts_dims){2, {steps, features, 1, 1}}, 1);
    c.call.output.size[1] = outputs;
    c.call.param_count = 4;
    c.call.params[0] = gates * outputs * features;
    c.call.params[1] = gates * outputs * outputs;
    c.call.params[2] = c.call.params[3] = gates * outputs;
    // errors go from step to step
    c.sums = (double)((features + 5 * outputs) * steps * steps + (size_t)batch * steps);
    c.inner = (double)steps; // so do roundings of states to 16 bits
    check_op(&c);
}

static void check_both(int batch, size_t steps, size_t features, size_t outputs)
{
    check_recurrent("lstm", 4, batch, steps, features, outputs);
    check_recurrent("gru", 3, batch, steps, features, outputs);
}

static void recurrent_layers(void)
{
    check_both(1, 1, 3, 2);
    check_both(3, 4, 5, 7);
    check_both(2, 9, 3, 5);
    check_both(5, 2, 18, 1);
    check_both(1, 5, 2, 33);
}

/* One unit by hand: all weights 1, no biases, x = 0 then 1. */
static void lstm_of_known_numbers(void)
{
    struct op_case c = op_alike("lstm", 1, (struct dts_dims){2, {2, 1, 1, 1}}, 1);
    const double ones[4] = {1, 1, 1, 1}, zeros[4] = {0}, x[2] = {0, 1};
    double y[2], saved[10];
    const struct dts_arrays a = {
        .batch = 1, .x = {x}, .w = {ones, ones, zeros, zeros}, .y = y, .saved = saved};
    dts_operation_find("lstm")->reference.forward(&c.call, &a, &(struct dts_place){0});
    const double gate = 1 / (1 + exp(-1)), cell = gate * tanh(1);
    CHECK_NEAR(y[0], 0, 0);
    CHECK_NEAR(y[1], gate * tanh(cell), 1e-12);
}

/* One unit by hand: reset and update gates of known biases, x = 0 then 1; the state's bias is
 * within what the reset gate lets through. */
static void gru_of_known_numbers(void)
{
    struct op_case c = op_alike("gru", 1, (struct dts_dims){2, {2, 1, 1, 1}}, 1);
    const double by_input[3] = {0, 0, 1}, by_state[3] = {0, 0, 2}, x[2] = {0, 1};
    const double input[3] = {1, 2, 0}, state[3] = {0, 0, 3};
    double y[2], saved[8];
    const struct dts_arrays a = {
        .batch = 1, .x = {x}, .w = {by_input, by_state, input, state}, .y = y, .saved = saved};
    dts_operation_find("gru")->reference.forward(&c.call, &a, &(struct dts_place){0});
    const double r = 1 / (1 + exp(-1)), z = 1 / (1 + exp(-2)), first = (1 - z) * tanh(3 * r);
    CHECK_NEAR(y[0], first, 1e-12);
    CHECK_NEAR(y[1], (1 - z) * tanh(1 + r * (2 * first + 3)) + z * first, 1e-12);
}

/* Gates in PyTorch's order: input, forget, cell, output. */
static void lstm_gates_are_in_order(void)
{
    struct op_case c = op_alike("lstm", 1, (struct dts_dims){2, {2, 1, 1, 1}}, 1);
    const double zeros[4] = {0}, bias[4] = {1, 2, 3, 4}, x[2] = {0};
    double y[2], saved[10];
    const struct dts_arrays a = {
        .batch = 1, .x = {x}, .w = {zeros, zeros, bias, zeros}, .y = y, .saved = saved};
    dts_operation_find("lstm")->reference.forward(&c.call, &a, &(struct dts_place){0});
    double cell = 0;
    for (int t = 0; t < 2; t++) {
        cell = cell / (1 + exp(-2)) + tanh(3) / (1 + exp(-1));
        CHECK_NEAR(y[t], tanh(cell) / (1 + exp(-4)), 1e-12);
    }
}

TESTS(TEST(embedding), TEST(sparse_gradients_are_the_dense_ones),
      TEST(workers_share_the_rows_of_a_list), TEST(a_gpu_makes_the_same_list),
      TEST(positional_embedding), TEST(class_token), TEST(mean_over_positions),
      TEST(recurrent_layers), TEST(gru_of_known_numbers), TEST(lstm_of_known_numbers),
      TEST(lstm_gates_are_in_order))

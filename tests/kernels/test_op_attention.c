/* test_op_attention.c -- attention on odd shapes. */
#include "kernels/op_check.h"

struct attention {
    int batch;
    size_t queries, keys, features, key_features; // keys 0: one tensor of queries, keys, values
    int heads;
    bool causal;
    double rate;
};

static void check_attention(const struct attention *c)
{
    struct op_case test = {.batch = c->batch};
    struct dts_op_call *call = &test.call;
    *call = (struct dts_op_call){
        .op = "attention", .heads = c->heads, .causal = c->causal, .rate = c->rate};
    call->output = (struct dts_dims){2, {c->queries, c->features, 1, 1}};
    call->inputs[0] = call->output;
    call->input_count = c->keys > 0 ? 3 : 1;
    if (c->keys == 0)
        call->inputs[0].size[1] *= 3;
    else
        call->inputs[1] = call->inputs[2] =
            (struct dts_dims){2, {c->keys, c->key_features, 1, 1}};
    // scores, the exponential that multiplies their error, sums over keys and over queries
    test.sums = (double)(c->features + 4 * (c->keys + c->queries)) * 4;
    check_op(&test);
}

static void one_tensor(void)
{
    check_attention(&(struct attention){2, 5, 0, 8, 0, 2, .causal = false});
    check_attention(&(struct attention){1, 1, 0, 3, 0, 3, .causal = true});
    check_attention(&(struct attention){3, 7, 0, 15, 0, 5, .causal = true});
}

static void more_than_one_block(void)
{
    check_attention(&(struct attention){2, 67, 0, 12, 0, 3, .causal = true});
    check_attention(&(struct attention){1, 130, 0, 6, 0, 1, .causal = true});
    check_attention(&(struct attention){1, 65, 0, 10, 0, 2, .causal = false});
}

static void keys_of_their_own(void)
{
    check_attention(&(struct attention){2, 5, 9, 8, 8, 2, .causal = false});
    check_attention(&(struct attention){2, 5, 5, 12, 4, 6, .causal = true}); // three share
    check_attention(&(struct attention){1, 9, 4, 6, 3, 2, .causal = true});
    check_attention(&(struct attention){2, 66, 71, 8, 4, 4, .causal = false});
}

static void dropout_is_the_same_forward_and_backward(void)
{
    check_attention(&(struct attention){2, 6, 0, 8, 0, 2, .causal = true, .rate = 0.4});
    check_attention(&(struct attention){1, 67, 131, 4, 4, 2, .rate = 0.25});
}

/* What is kept is of the right share, and other for each sample, step, head and query. */
static void dropout_draws_what_it_should(void)
{
    enum { S = 100 };
    struct dts_op_call call = {
        .op = "attention",
        .input_count = 3,
        .heads = 1,
        .rate = 0.25,
        .inputs = {{2, {S, 1, 1, 1}}, {2, {S, 1, 1, 1}}, {2, {S, 1, 1, 1}}},
        .output = {2, {S, 1, 1, 1}}};
    const struct dts_operation *op = dts_operation_find("attention");
    static float zeros[2 * S], ones[2 * S], y[2 * S], again[2 * S], l[2 * S];
    for (int i = 0; i < 2 * S; i++)
        ones[i] = 1;
    struct dts_arrays a = {.batch = 2,
                           .x = {zeros, zeros, ones},
                           .y = y,
                           .saved = l,
                           .training = true,
                           .seed = 1,
                           .step = 1};
    const struct dts_place place = {0};
    a.scratch = op_guarded(op->host.forward_scratch(&call, 2, 1));
    op->host.forward(&call, &a, &place);
    double sum = 0;
    int equal = 0;
    for (int i = 0; i < 2 * S; i++)
        sum += (double)y[i] / (2 * S);
    // 20000 draws: y's mean has a deviation of sqrt(0.25 / 0.75 / 20000)
    CHECK_NEAR(sum, 1, 4 * sqrt(0.25 / 0.75 / 20000));
    for (int i = 0; i < S; i++)
        equal += y[i] == y[S + i];
    CHECK(equal < S / 2);
    a.first_sample = 1; // now the second sample comes first
    a.y = again;
    op->host.forward(&call, &a, &place);
    CHECK(memcmp(again, y + S, S * sizeof(float)) == 0);
    a.first_sample = 0;
    a.step = 2;
    op->host.forward(&call, &a, &place);
    CHECK(memcmp(again, y, S * sizeof(float)) != 0);
    a.training = false;
    op->host.forward(&call, &a, &place);
    for (int i = 0; i < 2 * S; i++)
        CHECK_NEAR((double)again[i], 1, 1e-6);
    free(a.scratch);
}

/* Heads 2 and 3 of four are dropped as the whole drops them, forward and backward. */
static void heads_of_a_part_are_dropped_as_in_the_whole(void)
{
    enum { S = 70, D = 2, HEADS = 4, HERE = 2, ALL = S * HEADS * D, PART = S * HERE * D };
    const struct dts_operation *op = dts_operation_find("attention");
    static float x[ALL], part[PART], y[2][ALL], dx[2][3][ALL], l[S * HEADS];
    for (int i = 0; i < ALL; i++)
        x[i] = (float)dts_normal(3, 0, (uint64_t)i);
    for (int i = 0; i < PART; i++)
        part[i] = x[i / (HERE * D) * HEADS * D + HERE * D + i % (HERE * D)];
    for (int p = 0; p < 2; p++) {
        const size_t features = (size_t)(p == 0 ? HEADS : HERE) * D;
        struct dts_op_call call = {
            .op = "attention", .input_count = 3, .causal = true, .rate = 0.4};
        call.heads = p == 0 ? HEADS : HERE;
        call.output = (struct dts_dims){2, {S, features, 1, 1}};
        call.inputs[0] = call.inputs[1] = call.inputs[2] = call.output;
        const float *in = p == 0 ? x : part;
        struct dts_arrays a = {.batch = 1,
                               .x = {in, in, in},
                               .y = y[p],
                               .saved = l,
                               .dy = in,
                               .dx = {dx[p][0], dx[p][1], dx[p][2]},
                               .training = true,
                               .seed = 1,
                               .step = 1,
                               .first = p == 0 ? 0 : HERE};
        a.scratch = op_guarded(op->host.forward_scratch(&call, 1, 1) +
                               op->host.backward_scratch(&call, 1, 1));
        op->host.forward(&call, &a, &(struct dts_place){0});
        op->host.backward(&call, &a, &(struct dts_place){0});
        free(a.scratch);
    }
    for (int i = 0; i < PART; i++) {
        const int at = i / (HERE * D) * HEADS * D + HERE * D + i % (HERE * D);
        CHECK_NEAR((double)y[1][i], (double)y[0][at], 1e-5);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR((double)dx[1][k][i], (double)dx[0][k][at], 1e-4);
    }
}

TESTS(TEST(heads_of_a_part_are_dropped_as_in_the_whole), TEST(one_tensor),
      TEST(more_than_one_block), TEST(keys_of_their_own),
      TEST(dropout_is_the_same_forward_and_backward), TEST(dropout_draws_what_it_should))

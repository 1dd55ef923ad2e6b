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

TESTS(TEST(one_tensor), TEST(more_than_one_block), TEST(keys_of_their_own),
      TEST(dropout_is_the_same_forward_and_backward), TEST(dropout_draws_what_it_should))

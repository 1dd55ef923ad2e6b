/* test_op_cost.c -- costs against counting. Ones go through the reference of what multiplies by
 * weights: its values are then how many products each one sums. Where other functions stand
 * between the products, the definition is walked, and each one is counted.
 */
#include "kernels/op_cost.h"
#include "kernels/op_run.h"

static void fill(const void *array, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        ((double *)array)[i] = value;
}

static double sum(const double *array, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += array[i];
    return total;
}

/* Weights are the first parameter, the bias is the second. */
static void check_products(const struct dts_op_call *call)
{
    const struct op_case c = {.call = *call, .batch = 1};
    const struct dts_operation *op = dts_operation_find(call->op);
    const struct dts_op_cost cost = op->cost(call);
    const size_t in = dts_dims_elements(&call->inputs[0]);
    const size_t out = dts_dims_elements(&call->output);
    struct op_run r = op_begin(&c, op, 8);
    fill(r.a.x[0], in, 1);
    fill(r.a.dy, out, 1);
    for (int i = 0; i < call->param_count; i++) {
        fill(r.a.w[i], call->params[i], i == 0);
        fill(r.a.dw[i], call->params[i], 0);
    }
    op_run_version(&r, &op->reference, false, NULL);
    op_run_version(&r, &op->reference, true, NULL);

    const double to_input = 2 * sum(r.a.dx[0], in);
    const double to_weights = 2 * sum(r.a.dw[0], call->params[0]);
    const double to_bias = call->bias ? sum(r.a.dw[1], call->params[1]) : 0;
    CHECK_NEAR(cost.forward_flops, 2 * sum(r.a.y, out), 0);
    CHECK_NEAR(cost.input_flops, to_input, 0);
    CHECK_NEAR(cost.backward_flops, to_input + to_weights + to_bias, 0);
    op_end(&r);
}

static void convolutions_cost_the_products_of_their_reference(void)
{
    struct dts_op_call call = {
        .op = "conv",
        .input_count = 1,
        .inputs = {{3, {6, 11, 9, 1}}},
        .output = {3, {4, 4, 8, 1}},
        .window = {.kernel = {3, 2, 1}, .stride = {2, 1, 1}, .dilation = {2, 1, 1}},
        .params = {4 * 3 * 3 * 2, 4},
        .param_count = 2,
        .groups = 2,
        .bias = true};
    check_products(&call);
    call.inputs[0] = (struct dts_dims){4, {6, 11, 9, 5}};
    call.output = (struct dts_dims){4, {4, 4, 8, 2}};
    call.window.kernel[2] = 3;
    call.window.stride[2] = 2;
    call.params[0] *= 3;
    call.param_count = 1;
    call.bias = false;
    check_products(&call);
}

static void transposed_convolutions_cost_the_products_of_their_reference(void)
{
    check_products(&(struct dts_op_call){
        .op = "conv_transpose",
        .input_count = 1,
        .inputs = {{3, {6, 4, 5, 1}}},
        .output = {3, {4, 10, 6, 1}},
        .window = {.kernel = {4, 2, 1}, .stride = {2, 1, 1}, .dilation = {1, 1, 1}},
        .params = {6 * 2 * 4 * 2, 4},
        .param_count = 2,
        .groups = 2,
        .bias = true});
}

static void linear_layers_cost_the_products_of_their_reference(void)
{
    check_products(&(struct dts_op_call){.op = "linear",
                                         .input_count = 1,
                                         .inputs = {{3, {2, 5, 7, 1}}},
                                         .output = {3, {2, 5, 3, 1}},
                                         .params = {7 * 3, 3},
                                         .param_count = 2,
                                         .bias = true});
}

enum { QUERIES = 40, KEYS = 30, HEADS = 3, HEAD = 5 };

/* How often a head looks from a query at a key: scores; and the products for one of them. */
static void count_attention(const struct dts_op_call *call, double *scores, double *product)
{
    const bool one = call->input_count == 1;
    *scores = *product = 0;
    for (int head = 0; head < call->heads; head++)
        for (size_t i = 0; i < call->inputs[0].size[0]; i++)
            for (size_t j = 0; j < call->inputs[one ? 0 : 1].size[0]; j++) {
                if (call->fused && call->causal && j > i)
                    continue;
                *scores += 1;
                for (int k = 0; k < HEAD; k++)
                    *product += 2;
            }
}

/* A softmax forward: scale, max, subtract, exp, sum, divide; backward: dot 2, subtract,
 * multiply, scale; and what is made again. Half of a square has not all of its diagonal. */
static void attention_costs_each_pair_of_positions(void)
{
    const struct dts_op_call apart = {.op = "attention",
                                      .input_count = 3,
                                      .inputs = {{2, {QUERIES, HEADS * HEAD, 1, 1}},
                                                 {2, {KEYS, HEADS * HEAD, 1, 1}},
                                                 {2, {KEYS, HEADS * HEAD, 1, 1}}},
                                      .output = {2, {QUERIES, HEADS * HEAD, 1, 1}},
                                      .heads = HEADS};
    struct dts_op_call fused = {.op = "attention",
                                .input_count = 1,
                                .inputs = {{2, {QUERIES, 3 * HEADS * HEAD, 1, 1}}},
                                .output = {2, {QUERIES, HEADS * HEAD, 1, 1}},
                                .heads = HEADS,
                                .fused = true};
    double scores, product;
    struct dts_op_cost cost = dts_attention_cost(&apart);
    CHECK(cost.apart && !dts_attention_cost(&fused).apart);
    count_attention(&apart, &scores, &product);
    CHECK_NEAR(cost.forward_flops, 2 * product + 6 * scores, 0);
    CHECK_NEAR(cost.backward_flops, 4 * product + 5 * scores, 0);
    for (int causal = 0; causal < 2; causal++) {
        fused.causal = causal;
        cost = dts_attention_cost(&fused);
        count_attention(&fused, &scores, &product);
        const double diagonal = causal ? 1.0 / QUERIES : 0;
        CHECK_CLOSE(cost.forward_flops, 2 * product + 6 * scores, diagonal);
        CHECK_CLOSE(cost.backward_flops, 5 * product + 10 * scores, diagonal);
    }
}

/* 40 positions go to 2 of 4 experts each, 80 in all; with half of that room, 40 do. */
static void experts_cost_the_positions_that_they_take(void)
{
    struct dts_op_call call = {.op = "moe",
                               .input_count = 1,
                               .inputs = {{2, {40, 5, 1, 1}}},
                               .output = {2, {40, 5, 1, 1}},
                               .params = {4 * 5, 4 * 3 * 5, 4 * 3 * 5, 4 * 3 * 5},
                               .param_count = 4,
                               .experts = 4,
                               .chosen = 2};
    const double router = 2 * 40 * 5 * 4, softmax = 5 * 40 * 4;
    struct dts_op_cost cost = dts_moe_cost(&call);
    CHECK_NEAR(cost.product_flops, router + 80 * 3 * 2 * 5 * 3, 0);
    CHECK_NEAR(cost.forward_flops, cost.product_flops + softmax + 80 * (6 * 3 + 2 * 5), 0);
    CHECK_NEAR(cost.backward_flops, 2 * cost.product_flops + 3 * 40 * 4 + 80 * (14 * 3 + 5), 0);
    call.capacity = 0.5;
    CHECK_NEAR(dts_moe_cost(&call).product_flops, router + 40 * 3 * 2 * 5 * 3, 0);
    call.capacity = 3; // more room than positions
    call.param_count = 3;
    cost = dts_moe_cost(&call);
    CHECK_NEAR(cost.product_flops, router + 80 * 2 * 2 * 5 * 3, 0);
    CHECK_NEAR(cost.forward_flops, cost.product_flops + softmax + 80 * (9 * 3 + 2 * 5), 0);
    CHECK_NEAR(cost.weight_values, 20 + 60 + 60, 0);
}

/* Beside the products: three sigmoids, two tanh, two biases of four gates, the cell, the
 * output. */
static void recurrent_layers_cost_four_gates_a_step(void)
{
    enum { STEPS = 6, FEATURES = 7, OUTPUTS = 4, REST = 3 * 4 + 2 + 4 + 3 + 1 };
    const struct dts_op_call call = {.op = "lstm",
                                     .input_count = 1,
                                     .inputs = {{2, {STEPS, FEATURES, 1, 1}}},
                                     .output = {2, {STEPS, OUTPUTS, 1, 1}}};
    double products = 0;
    for (int step = 0; step < STEPS; step++)
        for (int gate = 0; gate < 4; gate++)
            for (int o = 0; o < OUTPUTS; o++) {
                for (int f = 0; f < FEATURES; f++)
                    products += 2;
                for (int h = 0; h < OUTPUTS; h++)
                    products += 2;
            }
    CHECK_NEAR(dts_lstm_cost(&call).forward_flops, products + REST * STEPS * OUTPUTS, 0);
}

/* Beside the products: two sigmoids, tanh, two biases of three gates, the reset, the output. */
static void gated_units_cost_three_gates_a_step(void)
{
    enum { STEPS = 6, FEATURES = 7, OUTPUTS = 4, REST = 2 * 4 + 1 + 3 + 2 + 4 };
    const struct dts_op_call call = {.op = "gru",
                                     .input_count = 1,
                                     .inputs = {{2, {STEPS, FEATURES, 1, 1}}},
                                     .output = {2, {STEPS, OUTPUTS, 1, 1}}};
    const double products = 2.0 * STEPS * 3 * OUTPUTS * (FEATURES + OUTPUTS);
    CHECK_NEAR(dts_gru_cost(&call).forward_flops, products + REST * STEPS * OUTPUTS, 0);
}

TESTS(TEST(gated_units_cost_three_gates_a_step),
      TEST(convolutions_cost_the_products_of_their_reference),
      TEST(transposed_convolutions_cost_the_products_of_their_reference),
      TEST(linear_layers_cost_the_products_of_their_reference),
      TEST(attention_costs_each_pair_of_positions),
      TEST(experts_cost_the_positions_that_they_take),
      TEST(recurrent_layers_cost_four_gates_a_step))

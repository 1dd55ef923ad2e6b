/* test_call_key.c -- calls in words: equal words, equal work. */
#include <limits.h>
#include <stdint.h>

#include "check.h"
#include "kernels/call/op_call.h"
#include "train/model/layer/layer.h"

static bool ends_with(const struct dts_op_call_key *key, const char *end)
{
    const size_t length = strlen(key->chars), more = strlen(end);
    return length >= more && strcmp(key->chars + length - more, end) == 0;
}

static void shapes_and_settings_stand_in_words(void)
{
    const struct dts_dims image = {3, {64, 56, 56, 1}};
    const struct dts_op_call conv = {.op = "conv",
                                     .input_count = 1,
                                     .inputs = {image},
                                     .output = image,
                                     .window = {.kernel = {3, 3, 1},
                                                .stride = {1, 1, 1},
                                                .dilation = {1, 1, 1},
                                                .before = {1, 1, 0}},
                                     .groups = 1,
                                     .bias = true};
    const struct dts_op_call sum = {
        .op = "add", .input_count = 2, .inputs = {image, image}, .output = image};
    CHECK_STRING(dts_op_call_key(&conv).chars,
                 "conv 64x56x56 > 64x56x56 kernel 3x3 before 1x1 bias");
    CHECK_STRING(dts_op_call_key(&sum).chars, "add 2 of 64x56x56 > 64x56x56");
}

/* Rows from a table that no cache holds took five times as long as from a small one. */
static void a_table_has_its_size(void)
{
    const struct dts_op_call embedding = {.op = "embedding",
                                          .input_count = 1,
                                          .inputs = {{1, {128, 1, 1, 1}}},
                                          .output = {2, {128, 768, 1, 1}},
                                          .table = 30522,
                                          .first = true};
    CHECK_STRING(dts_op_call_key(&embedding).chars, "embedding 128,30522x768 > 128x768 first");
}

/* The same kernels, whatever they multiply by: a profile knows both by one time. */
static void a_weight_is_no_other_work(void)
{
    struct dts_op_call loss = {.op = "softmax_cross_entropy",
                               .input_count = 1,
                               .inputs = {{1, {1000, 1, 1, 1}}},
                               .output = {1, {1, 1, 1, 1}}};
    const struct dts_op_call_key plain = dts_op_call_key(&loss);
    loss.weight = 0.4;
    CHECK_STRING(dts_op_call_key(&loss).chars, plain.chars);
}

/* One kernel of ours, however it is counted. */
static void a_way_to_count_is_no_other_work(void)
{
    struct dts_op_call attention = {.op = "attention",
                                    .input_count = 1,
                                    .inputs = {{2, {128, 2304, 1, 1}}},
                                    .output = {2, {128, 768, 1, 1}},
                                    .heads = 12};
    const struct dts_op_call_key plain = dts_op_call_key(&attention);
    attention.fused = true;
    CHECK_STRING(dts_op_call_key(&attention).chars, plain.chars);
}

/* As many volumes as may be joined, of 1.6e11 values in all: a model may have them. */
static void long_lists_of_shapes_are_whole(void)
{
    struct dts_op_call join = {.op = "concat",
                               .input_count = DTS_OP_INPUTS,
                               .output = {4, {16120, 1000, 1000, 10}},
                               .first = true};
    for (int i = 0; i < DTS_OP_INPUTS; i++)
        join.inputs[i] = (struct dts_dims){4, {(size_t)(1000 + i), 1000, 1000, 10}};
    const struct dts_op_call_key key = dts_op_call_key(&join);
    CHECK(ends_with(&key, ",1015x1000x1000x10 > 16120x1000x1000x10 first"));
}

/* All that a call can hold, and the longest of each. */
static void the_longest_key_is_whole(void)
{
    const struct dts_dims largest = {DTS_DIMS, {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    struct dts_op_call call = {.op = "an_operation_of_thirty_letters",
                               .input_count = DTS_OP_INPUTS,
                               .output = largest,
                               .groups = INT_MAX,
                               .heads = INT_MAX,
                               .ignored = INT_MAX,
                               .table = SIZE_MAX,
                               .rate = 1.23456e-300,
                               .slope = 1.23456e-300,
                               .bias = true,
                               .causal = true,
                               .relu = true,
                               .inside = true,
                               .last = true,
                               .sparse = true,
                               .first = true};
    for (int i = 0; i < DTS_OP_INPUTS; i++) {
        call.inputs[i] = largest;
        call.inputs[i].size[0] -= (size_t)i;
    }
    for (int i = 0; i < DTS_OP_AXES; i++) {
        call.window.kernel[i] = INT_MAX;
        call.axes[i] = INT_MIN;
        call.window.stride[i] = call.window.dilation[i] = call.window.before[i] = INT_MIN;
    }
    const struct dts_op_call_key key = dts_op_call_key(&call);
    call.first = false;
    CHECK(strcmp(dts_op_call_key(&call).chars, key.chars) != 0); // not the same work
    CHECK(ends_with(&key, " slope 1.23456e-300 bias causal relu inside last sparse first"));
}

static void names_of_layers_have_room(void)
{
    for (int i = 0; dts_layer_kinds[i] != NULL; i++)
        CHECK(strlen(dts_layer_kinds[i]->name) < DTS_OP_KEY_NAME);
}

TESTS(TEST(shapes_and_settings_stand_in_words), TEST(a_table_has_its_size),
      TEST(a_weight_is_no_other_work), TEST(a_way_to_count_is_no_other_work),
      TEST(long_lists_of_shapes_are_whole), TEST(the_longest_key_is_whole),
      TEST(names_of_layers_have_room))

/* test_op_shape.c -- operations that move values. */
#include "kernels/op_shapes.h"

static void parts_behind_one_another(void)
{
    struct op_case c = {
        .batch = 3,
        .call = {.op = "concat",
                 .input_count = 3,
                 .inputs = {{3, {2, 3, 5, 1}}, {3, {1, 3, 5, 1}}, {3, {4, 3, 5, 1}}},
                 .output = {3, {7, 3, 5, 1}}}};
    check_op(&c);
    c.call.input_count = 2;
    c.call.inputs[0] = (struct dts_dims){1, {9, 1, 1, 1}};
    c.call.inputs[1] = (struct dts_dims){1, {1, 1, 1, 1}};
    c.call.output = (struct dts_dims){1, {10, 1, 1, 1}};
    check_op(&c);
}

static void the_first_positions(void)
{
    struct op_case c = {.batch = 3,
                        .call = {.op = "select",
                                 .input_count = 1,
                                 .inputs = {{2, {7, 5, 1, 1}}},
                                 .output = {2, {3, 5, 1, 1}}}};
    check_op(&c);
    c.call.output.size[0] = 7; // all
    check_op(&c);
    c.call.output.size[0] = 1;
    check_op(&c);
}

static void images_as_sequences(void)
{
    const struct dts_dims images[] = {{3, {3, 5, 7, 1}},     {2, {33, 17, 1, 1}},
                                      {4, {16, 2, 4, 2}},    {2, {1, 20, 1, 1}},
                                      {2, {67, 45, 1, 1}}, // whole blocks and parts of them
                                      {2, {131, 290, 1, 1}}, {2, {300, 128, 1, 1}}};
    for (int i = 0; i < 7; i++) {
        const size_t channels = images[i].size[0];
        struct op_case c = {
            .batch = 2,
            .call = {
                .op = "sequence",
                .input_count = 1,
                .inputs = {images[i]},
                .output = {2, {dts_dims_elements(&images[i]) / channels, channels, 1, 1}}}};
        check_op(&c);
    }
}

TESTS(TEST(parts_behind_one_another), TEST(the_first_positions), TEST(images_as_sequences))

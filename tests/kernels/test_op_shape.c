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

static void check_order(struct dts_dims in, const int *axes)
{
    struct op_case c = {
        .batch = 2, .call = {.op = "permute", .input_count = 1, .inputs = {in}, .output = in}};
    for (int i = 0; i < in.count; i++) {
        c.call.axes[i] = axes[i];
        c.call.output.size[i] = in.size[axes[i]];
    }
    check_op(&c);
}

/* Every order of two to four axes. */
static void axes_in_any_order(void)
{
    for (int code = 0; code < 256; code++)
        for (int count = 2; count <= 4; count++) {
            const int axes[] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
            int seen = 0;
            for (int i = 0; i < count; i++)
                seen |= 1 << axes[i];
            if (seen == (1 << count) - 1 && code < 1 << 2 * count)
                check_order(
                    (struct dts_dims){count, {3, 5, count > 2 ? 4 : 1, count > 3 ? 7 : 1}},
                    axes);
        }
    check_order((struct dts_dims){3, {33, 9, 15, 1}}, (const int[]){1, 2, 0});
    check_order((struct dts_dims){3, {9, 15, 33, 1}}, (const int[]){2, 0, 1});
}

static void check_slice(int batch, struct dts_dims in, int axis, size_t offset, size_t count)
{
    struct op_case c = {
        .batch = batch,
        .call = {
            .op = "slice", .input_count = 1, .inputs = {in}, .output = in, .offset = offset}};
    c.call.output.size[axis] = count;
    check_op(&c);
}

static void parts_of_an_axis(void)
{
    check_slice(3, (struct dts_dims){3, {7, 3, 5, 1}}, 0, 2, 4);
    check_slice(2, (struct dts_dims){3, {7, 3, 5, 1}}, 1, 2, 1);
    check_slice(2, (struct dts_dims){2, {6, 10, 1, 1}}, 1, 5, 5);
    check_slice(1, (struct dts_dims){1, {9, 1, 1, 1}}, 0, 0, 8);
    check_slice(2, (struct dts_dims){4, {2, 3, 4, 5}}, 2, 1, 2);
}

TESTS(TEST(axes_in_any_order), TEST(parts_of_an_axis), TEST(parts_behind_one_another),
      TEST(the_first_positions), TEST(images_as_sequences))

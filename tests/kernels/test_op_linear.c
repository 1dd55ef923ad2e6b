/* test_op_linear.c -- the linear layer on odd shapes. */
#include "kernels/op_check.h"

static void check_linear(int batch, struct dts_dims input, size_t outputs, bool bias)
{
    struct op_case c = {.batch = batch};
    c.call = (struct dts_op_call){.op = "linear", .input_count = 1, .bias = bias};
    const size_t features = dts_dims_features(&input);
    c.call.inputs[0] = c.call.output = input;
    c.call.output.size[input.count - 1] = outputs;
    c.call.param_count = bias ? 2 : 1;
    c.call.params[0] = features * outputs;
    c.call.params[1] = outputs;
    c.sums = (double)(features + outputs + (size_t)batch * dts_dims_positions(&input));
    check_op(&c);
}

static void vectors(void)
{
    check_linear(3, (struct dts_dims){1, {7, 1, 1, 1}}, 5, true);
    check_linear(1, (struct dts_dims){1, {1, 1, 1, 1}}, 1, true);
    check_linear(2, (struct dts_dims){1, {33, 1, 1, 1}}, 65, false);
    check_linear(37, (struct dts_dims){1, {17, 1, 1, 1}}, 3, true);
    check_linear(3, (struct dts_dims){1, {1031, 1, 1, 1}}, 67, true); // gemm_few.h
}

static void positions_are_alike(void)
{
    check_linear(2, (struct dts_dims){2, {5, 11, 1, 1}}, 19, true);
    check_linear(3, (struct dts_dims){3, {3, 2, 9, 1}}, 4, false);
}

TESTS(TEST(vectors), TEST(positions_are_alike))

/* test_op_conv.c -- convolution on odd shapes. */
#include "kernels/op_check.h"
#include "kernels/op_conv.h"

/* Sizes of one convolution over images or volumes. */
struct conv {
    int batch, in, out, groups;
    int size[3], kernel[3], stride[3], before[3], dilation[3], behind[3];
    int axes;
    bool bias;
};

static struct op_case case_of(const struct conv *c)
{
    struct op_case test = {.batch = c->batch};
    struct dts_op_call *call = &test.call;
    *call = (struct dts_op_call){.op = "conv", .input_count = 1, .groups = c->groups};
    call->inputs[0] = (struct dts_dims){c->axes + 1, {(size_t)c->in, 1, 1, 1}};
    call->output = (struct dts_dims){c->axes + 1, {(size_t)c->out, 1, 1, 1}};
    size_t window = 1, pixels = 1;
    for (int i = 0; i < 3; i++) {
        const bool used = i < c->axes;
        call->window.kernel[i] = used ? c->kernel[i] : 1;
        call->window.stride[i] = used ? c->stride[i] : 1;
        call->window.dilation[i] = used && c->dilation[i] > 0 ? c->dilation[i] : 1;
        call->window.before[i] = used ? c->before[i] : 0;
        if (!used)
            continue;
        const int reach = call->window.dilation[i] * (c->kernel[i] - 1) + 1;
        call->inputs[0].size[i + 1] = (size_t)c->size[i];
        call->output.size[i + 1] =
            (size_t)((c->size[i] + c->before[i] + c->behind[i] - reach) / c->stride[i] + 1);
        window *= (size_t)c->kernel[i];
        pixels *= call->output.size[i + 1];
    }
    const size_t sums = (size_t)(c->in / c->groups) * window;
    call->params[0] = sums * (size_t)c->out;
    call->params[1] = (size_t)c->out;
    call->param_count = c->bias ? 2 : 1;
    call->bias = c->bias;
    test.sums = (double)(pixels * (size_t)c->batch + sums + window * (size_t)c->out);
    op_conv_bound(&test);
    return test;
}

static void check_conv(const struct conv *c)
{
    const struct op_case test = case_of(c);
    check_op(&test);
}

/* Shapes whose size, not whose form, matters: without differences, which take long. */
static void check_large(const struct conv *c)
{
    const struct op_case test = case_of(c);
    op_check_host(&test, dts_operation_find("conv"), 1);
    op_check_host(&test, dts_operation_find("conv"), 3);
}

static void windows_of_one_value(void)
{
    check_conv(&(struct conv){2, 5, 7, 1, {6, 5}, {1, 1}, {1, 1}, .axes = 2});
    check_conv(&(struct conv){3, 6, 4, 1, {7, 7}, {1, 1}, {2, 2}, .axes = 2, .bias = true});
    check_conv(&(struct conv){2, 34, 33, 1, {9, 11}, {1, 1}, {1, 1}, .axes = 2});
}

static void windows_of_three_by_three(void)
{
    check_conv(&(struct conv){
        2, 3, 5, 1, {7, 9}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2, .bias = true});
    check_conv(&(struct conv){
        3, 17, 18, 1, {14, 13}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
    check_conv(&(struct conv){1, 4, 3, 1, {8, 8}, {3, 3}, {1, 1}, .axes = 2}); // no padding
    check_conv(&(struct conv){
        2, 4, 6, 1, {9, 8}, {3, 3}, {2, 2}, {1, 1}, .behind = {1, 1}, .axes = 2});
    check_conv(&(struct conv){
        2, 3, 2, 1, {1, 2}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
}

/* Enough tiles of 4x4 for three workers; borders that cut tiles; shifted borders. */
static void windows_with_fewer_products(void)
{
    check_large(&(struct conv){
        5, 17, 18, 1, {14, 19}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
    check_large(&(struct conv){4,
                               16,
                               33,
                               1,
                               {19, 18},
                               {3, 3},
                               {1, 1},
                               {0, 2},
                               .behind = {2, 0},
                               .axes = 2,
                               .bias = true});
    // more tiles than a block of their products holds; more channels than one of weights
    check_large(&(struct conv){
        3, 17, 16, 1, {33, 41}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
    check_large(&(struct conv){
        5, 260, 16, 1, {14, 13}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
}

/* Sums of more than one block, tiles of pixels that lie in two samples. */
static void sums_of_several_blocks(void)
{
    check_large(&(struct conv){3, 300, 20, 1, {7, 7}, {1, 1}, {1, 1}, .axes = 2});
    check_large(&(struct conv){3, 270, 9, 1, {9, 8}, {1, 1}, {2, 2}, .axes = 2, .bias = true});
    check_large(&(struct conv){
        2, 33, 257, 1, {3, 4}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
}

static void other_windows(void)
{
    check_conv(&(struct conv){
        2, 3, 4, 1, {15, 14}, {7, 7}, {2, 2}, {3, 3}, .behind = {3, 3}, .axes = 2});
    check_conv(&(struct conv){
        2, 3, 4, 1, {6, 9}, {1, 7}, {1, 1}, {0, 3}, .behind = {0, 3}, .axes = 2});
    check_conv(&(struct conv){
        2, 2, 3, 1, {8, 8}, {2, 2}, {1, 1}, {0, 0}, .behind = {1, 1}, .axes = 2});
    check_conv(&(struct conv){2, 3, 4, 1, {19, 18}, {11, 11}, {4, 4}, {2, 2}, .axes = 2});
    check_conv(
        &(struct conv){2, 3, 4, 1, {9, 10}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, .axes = 2});
}

static void groups_do_not_mix(void)
{
    check_conv(&(struct conv){
        2, 6, 4, 2, {5, 6}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2, .bias = true});
    check_conv(&(struct conv){
        2, 5, 5, 5, {6, 6}, {3, 3}, {2, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
}

/* Groups and steps within the window, over volumes: each alone, both, and a group a channel. */
static void volumes_in_groups_and_with_gaps(void)
{
    check_conv(&(struct conv){2,
                              2,
                              3,
                              1,
                              {6, 5, 7},
                              {2, 3, 2},
                              {1, 1, 1},
                              {1, 2, 0},
                              {2, 2, 3},
                              {1, 2, 1},
                              .axes = 3,
                              .bias = true});
    check_conv(&(struct conv){2,
                              6,
                              9,
                              3,
                              {3, 5, 4},
                              {3, 2, 3},
                              {1, 1, 1},
                              {1, 0, 1},
                              .behind = {1, 1, 1},
                              .axes = 3,
                              .bias = true});
    check_conv(&(struct conv){1,
                              4,
                              6,
                              2,
                              {5, 7, 6},
                              {2, 3, 3},
                              {2, 1, 2},
                              {1, 2, 1},
                              {3, 2, 1},
                              {1, 2, 2},
                              .axes = 3});
    check_conv(&(struct conv){3,
                              5,
                              5,
                              5,
                              {3, 4, 5},
                              {3, 3, 3},
                              {1, 2, 1},
                              {2, 1, 2},
                              {2, 1, 2},
                              {2, 1, 2},
                              .axes = 3,
                              .bias = true});
}

static void volumes_and_lines(void)
{
    check_conv(&(struct conv){2,
                              3,
                              4,
                              1,
                              {5, 4, 6},
                              {3, 3, 3},
                              {1, 1, 1},
                              {1, 1, 1},
                              .behind = {1, 1, 1},
                              .axes = 3,
                              .bias = true});
    check_conv(&(struct conv){2, 2, 3, 1, {6, 5, 7}, {2, 2, 2}, {2, 2, 2}, .axes = 3});
    check_conv(&(struct conv){2, 3, 4, 1, {11}, {3}, {2}, {1}, .behind = {1}, .axes = 1});
    check_conv(
        &(struct conv){1, 4, 6, 2, {19}, {5}, {1}, {4}, {2}, {4}, .axes = 1, .bias = true});
}

/* The convolution's sizes, from its output to its input. */
static void check_transposed(const struct conv *c)
{
    const struct op_case conv = case_of(c);
    struct op_case test = conv;
    test.call.op = "conv_transpose";
    test.call.inputs[0] = conv.call.output;
    test.call.output = conv.call.inputs[0];
    test.call.params[1] = test.call.output.size[0];
    test.y = conv.dx;
    test.dx = conv.y;
    test.dw = conv.dw;
    test.sums += (double)dts_dims_elements(&test.call.output) * test.batch; // of the bias
    check_op(&test);
}

static void transposed_convolutions(void)
{
    check_transposed(
        &(struct conv){2, 3, 5, 1, {8, 6}, {2, 2}, {2, 2}, .axes = 2, .bias = true});
    check_transposed(&(struct conv){
        1, 4, 3, 1, {9, 10}, {3, 3}, {2, 2}, {1, 1}, .behind = {1, 0}, .axes = 2});
    check_transposed(&(struct conv){2,
                                    4,
                                    6,
                                    2,
                                    {7, 7},
                                    {3, 2},
                                    {1, 2},
                                    {1, 0},
                                    .dilation = {2, 1},
                                    .axes = 2,
                                    .bias = true});
    check_transposed(&(struct conv){
        1, 6, 6, 6, {8, 5}, {4, 3}, {2, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
    check_transposed(&(struct conv){2, 3, 4, 1, {11}, {3}, {2}, {1}, .behind = {1}, .axes = 1});
    check_transposed(
        &(struct conv){1, 2, 3, 1, {6, 5, 7}, {2, 2, 2}, {2, 2, 2}, .axes = 3, .bias = true});
    // Winograd's way, each way
    check_transposed(&(struct conv){
        3, 17, 18, 1, {14, 13}, {3, 3}, {1, 1}, {1, 1}, .behind = {1, 1}, .axes = 2});
}

TESTS(TEST(transposed_convolutions), TEST(windows_of_one_value),
      TEST(windows_of_three_by_three), TEST(windows_with_fewer_products),
      TEST(sums_of_several_blocks), TEST(other_windows), TEST(groups_do_not_mix),
      TEST(volumes_in_groups_and_with_gaps), TEST(volumes_and_lines))

/* test_op_norm.c -- normalizations on odd shapes. */
#include "kernels/op_shapes.h"

static struct op_case batch_norm_of(int batch, struct dts_dims dims)
{
    struct op_case c = op_alike("batch_norm", batch, dims, 1);
    c.call.param_count = 2;
    c.call.params[0] = c.call.params[1] = dims.size[0];
    c.sums = (double)batch * (double)dts_dims_elements(&dims);
    return c;
}

static void check_batch_norm(int batch, struct dts_dims dims)
{
    struct op_case c = batch_norm_of(batch, dims);
    check_op(&c);
    c.call.relu = true;
    check_op(&c);
}

static void batch_norm_keeps_its_contract(void)
{
    check_batch_norm(3, (struct dts_dims){3, {5, 4, 7, 1}});
    check_batch_norm(5, (struct dts_dims){1, {19, 1, 1, 1}});
    check_batch_norm(2, (struct dts_dims){4, {3, 3, 2, 5}});
    check_batch_norm(1, (struct dts_dims){3, {2, 65, 67, 1}}); // more than a piece
}

/* Statistics of two batches by hand: PyTorch's rule. */
static void running_statistics_move_by_a_tenth(void)
{
    const struct dts_operation *op = dts_operation_find("batch_norm");
    struct op_case c = op_alike("batch_norm", 2, (struct dts_dims){2, {1, 2, 1, 1}}, 1);
    c.call.param_count = 2;
    c.call.params[0] = c.call.params[1] = 1;
    const double x[] = {1, 2, 3, 6}; // mean 3, sum of squares 14
    for (size_t real = 4; real <= 8; real += 4) {
        const struct dts_op_version *version = real == 4 ? &op->host : &op->reference;
        struct op_run r = op_begin(&c, op, real);
        for (size_t i = 0; i < 4; i++)
            op_set((void *)r.a.x[0], real, i, x[i]);
        r.a.training = false; // before the first batch: mean 0, variance 1
        op_run_version(&r, version, false, NULL);
        const double w = op_get(r.a.w[0], real, 0), b = op_get(r.a.w[1], real, 0);
        CHECK_NEAR(op_get(r.a.y, real, 3), w * 6 / sqrt(1 + 1e-5) + b, 1e-5);

        r.a.training = true;
        op_run_version(&r, version, false, NULL);
        op_run_version(&r, version, false, NULL);
        const double mean = 0.9 * 0.3 + 0.3;
        const double variance = 0.9 * (0.9 + 0.1 * 14 / 3.0) + 0.1 * 14 / 3.0;
        CHECK_NEAR(op_get(r.a.state, real, 0), mean, 1e-6);
        CHECK_NEAR(op_get(r.a.state, real, 1), variance, 1e-6);
        CHECK_NEAR(op_get(r.a.state, real, 2), 2, 0);

        r.a.training = false;
        op_run_version(&r, version, false, NULL);
        CHECK_NEAR(op_get(r.a.y, real, 3), w * (6 - mean) / sqrt(variance + 1e-5) + b, 1e-5);
        CHECK_NEAR(op_get(r.a.state, real, 2), 2, 0); // inference leaves no trace
        op_end(&r);
    }
}

/* Values of 1e4 +- 1: their squares do not hold the difference in float. */
static void large_means_cancel_nothing(void)
{
    const struct dts_operation *op = dts_operation_find("batch_norm");
    struct op_case c = op_alike("batch_norm", 3, (struct dts_dims){2, {2, 5000, 1, 1}}, 1);
    c.call.param_count = 2;
    c.call.params[0] = c.call.params[1] = 2;
    struct op_run want = op_begin(&c, op, 8), got = op_begin(&c, op, 4);
    for (size_t i = 0; i < op_values(&c, &c.call.output); i++) {
        const float value = (float)(1e4 + op_get(want.a.x[0], 8, i));
        op_set((void *)want.a.x[0], 8, i, value);
        op_set((void *)got.a.x[0], 4, i, value);
    }
    op_run_version(&want, &op->reference, false, NULL);
    op_run_version(&got, &op->host, false, NULL);
    for (size_t i = 0; i < 4; i++) // mean, 1 / deviation
        CHECK_CLOSE(op_get(got.a.saved, 4, i), op_get(want.a.saved, 8, i), 1e-5);
    op_end(&want);
    op_end(&got);
}

static void check_over_features(int batch, struct dts_dims dims)
{
    struct op_case c = op_alike("rms_norm", batch, dims, 1);
    c.call.param_count = 1;
    c.call.params[0] = c.call.params[1] = dts_dims_features(&dims);
    c.sums = (double)batch * (double)dts_dims_elements(&dims);
    check_op(&c);
    c.call.op = "layer_norm";
    c.call.param_count = 2;
    check_op(&c);
}

static void features_are_normalized_at_each_position(void)
{
    check_over_features(2, (struct dts_dims){2, {5, 33, 1, 1}});
    check_over_features(3, (struct dts_dims){1, {7, 1, 1, 1}});
    check_over_features(1, (struct dts_dims){3, {2, 3, 70, 1}});
    check_over_features(2, (struct dts_dims){2, {1, 768, 1, 1}});
}

static void check_groups(int batch, struct dts_dims dims, int groups)
{
    struct op_case c = op_alike("group_norm", batch, dims, 1);
    c.call.groups = groups;
    c.sums = (double)batch * (double)dts_dims_elements(&dims);
    check_op(&c); // without parameters
    c.call.bias = true;
    c.call.param_count = 2;
    c.call.params[0] = c.call.params[1] = dims.size[0];
    check_op(&c);
}

static void channels_are_normalized_by_groups(void)
{
    check_groups(2, (struct dts_dims){3, {6, 5, 7, 1}}, 3);
    check_groups(3, (struct dts_dims){3, {4, 3, 3, 1}}, 1);  // all of a sample
    check_groups(2, (struct dts_dims){3, {5, 9, 11, 1}}, 5); // each channel
    check_groups(4, (struct dts_dims){1, {12, 1, 1, 1}}, 4); // no pixels
    check_groups(1, (struct dts_dims){4, {8, 3, 2, 5}}, 2);
}

/* More channels than are taken together, on two workers; within caches, and past them. */
static void runs_of_channels(void)
{
    const struct dts_dims images[] = {{3, {41, 31, 33, 1}}, {3, {500, 52, 56, 1}}};
    for (int i = 0; i < 2; i++) {
        const struct op_case c = batch_norm_of(3, images[i]);
        op_check_host(&c, dts_operation_find("batch_norm"), 2);
    }
}

/* More than caches keep (kernels/vector/past_caches.h), in lines of 16 values and blocks that
 * end early.
 */
static void large_results_go_past_the_caches(void)
{
    const struct dts_dims rows = {2, {53000, 80, 1, 1}}, image = {3, {11, 356, 360, 1}};
    struct op_case c = batch_norm_of(3, image);
    op_check_host(&c, dts_operation_find("batch_norm"), 2);
    c = op_alike("layer_norm", 1, rows, 1);
    c.call.param_count = 2;
    c.call.params[0] = c.call.params[1] = dts_dims_features(&rows);
    c.sums = (double)dts_dims_elements(&rows);
    op_check_host(&c, dts_operation_find("layer_norm"), 2);
    c.call.op = "rms_norm";
    c.call.param_count = 1;
    op_check_host(&c, dts_operation_find("rms_norm"), 2);
}

TESTS(TEST(batch_norm_keeps_its_contract), TEST(runs_of_channels),
      TEST(channels_are_normalized_by_groups), TEST(running_statistics_move_by_a_tenth),
      TEST(large_means_cancel_nothing), TEST(features_are_normalized_at_each_position),
      TEST(large_results_go_past_the_caches))

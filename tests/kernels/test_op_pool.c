/* test_op_pool.c -- pools on odd shapes. */
#include "kernels/op_shapes.h"

struct pool {
    const char *op;
    int batch, axes;
    int size[4], out[3]; // channels and sizes; sizes
    int kernel[3], stride[3], before[3];
};

static struct op_case case_of(const struct pool *p)
{
    struct op_case c = {.batch = p->batch, .sums = 1, .call = {.op = p->op, .input_count = 1}};
    c.call.inputs[0] = c.call.output = (struct dts_dims){p->axes + 1, {1, 1, 1, 1}};
    c.call.inputs[0].size[0] = c.call.output.size[0] = (size_t)p->size[0];
    for (int i = 0; i < 3; i++) {
        const bool used = i < p->axes;
        c.call.window.kernel[i] = used ? p->kernel[i] : 1;
        c.call.window.stride[i] = used ? p->stride[i] : 1;
        c.call.window.dilation[i] = 1;
        c.call.window.before[i] = used ? p->before[i] : 0;
        if (!used)
            continue;
        c.call.inputs[0].size[i + 1] = (size_t)p->size[i + 1];
        c.call.output.size[i + 1] = (size_t)p->out[i];
        c.sums *= p->kernel[i];
    }
    return c;
}

static void check_both(struct pool pool)
{
    pool.op = "max_pool";
    struct op_case c = case_of(&pool);
    check_op(&c);
    pool.op = "avg_pool";
    c = case_of(&pool);
    check_op(&c);
    c.call.inside = true;
    check_op(&c);
}

static void windows_on_images(void)
{
    check_both((struct pool){.batch = 2,
                             .axes = 2,
                             .size = {3, 7, 9},
                             .out = {3, 4},
                             .kernel = {2, 2},
                             .stride = {2, 2}});
    check_both((struct pool){.batch = 1,
                             .axes = 2,
                             .size = {5, 13, 35},
                             .out = {7, 18},
                             .kernel = {3, 3},
                             .stride = {2, 2},
                             .before = {1, 1}});
    check_both((struct pool){.batch = 2,
                             .axes = 2,
                             .size = {2, 6, 19},
                             .out = {6, 19},
                             .kernel = {3, 3},
                             .stride = {1, 1},
                             .before = {1, 1}});
    check_both((struct pool){.batch = 1,
                             .axes = 2,
                             .size = {2, 11, 10},
                             .out = {3, 3},
                             .kernel = {1, 4},
                             .stride = {5, 3}});
}

static void the_last_window_may_end_outside(void)
{
    check_both((struct pool){.batch = 2,
                             .axes = 2,
                             .size = {3, 6, 8},
                             .out = {3, 4},
                             .kernel = {3, 3},
                             .stride = {2, 2}});
    check_both((struct pool){.batch = 1,
                             .axes = 2,
                             .size = {2, 7, 6},
                             .out = {4, 4},
                             .kernel = {3, 2},
                             .stride = {2, 2},
                             .before = {1, 1}});
}

/* Whole vectors of windows, those at the sides, and lines beside all windows. */
static void long_lines(void)
{
    static const int windows[][3] = {{3, 2, 1}, {3, 2, 0}, {2, 2, 0},
                                     {2, 2, 1}, {3, 1, 1}, {3, 1, 0}};
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
        for (int beyond = 0; beyond < 3; beyond++) {
            const int kernel = windows[i][0], stride = windows[i][1], before = windows[i][2];
            struct pool pool = {.batch = 2,
                                .axes = 2,
                                .size = {2, 8 + beyond, 67 + beyond},
                                .kernel = {kernel, kernel},
                                .stride = {stride, stride},
                                .before = {before, before}};
            for (int axis = 0; axis < 2; axis++) {
                const int room = pool.size[axis + 1] + 2 * before - kernel;
                const bool outside = beyond == 2 && before == 0; // where the last window ends
                pool.out[axis] = (room + (outside ? stride - 1 : 0)) / stride + 1;
            }
            check_both(pool);
            pool.kernel[0] = pool.stride[0] = 1; // fewer lines
            pool.before[0] = 0;
            pool.out[0] = pool.size[1] - 2;
            check_both(pool);
        }
}

/* More windows than a worker keeps the largest of; lines of which the next windows take in all
 * there are. */
static void longest_lines_and_few(void)
{
    for (int windows = 512; windows <= 514; windows++)
        check_both((struct pool){.batch = 1,
                                 .axes = 2,
                                 .size = {1, 5, 2 * windows},
                                 .out = {3, windows},
                                 .kernel = {3, 3},
                                 .stride = {2, 2},
                                 .before = {1, 1}});
    for (int lines = 1; lines <= 3; lines++)
        check_both((struct pool){.batch = 3,
                                 .axes = 2,
                                 .size = {2, lines, 20},
                                 .out = {lines, 20},
                                 .kernel = {3, 3},
                                 .stride = {1, 1},
                                 .before = {1, 1}});
}

static void lines_and_volumes(void)
{
    check_both((struct pool){.batch = 3,
                             .axes = 1,
                             .size = {4, 17},
                             .out = {6},
                             .kernel = {4},
                             .stride = {3},
                             .before = {2}});
    check_both((struct pool){.batch = 2,
                             .axes = 3,
                             .size = {3, 4, 5, 6},
                             .out = {2, 2, 3},
                             .kernel = {2, 2, 2},
                             .stride = {2, 2, 2}});
    check_both((struct pool){.batch = 1,
                             .axes = 3,
                             .size = {2, 3, 4, 5},
                             .out = {3, 2, 5},
                             .kernel = {3, 2, 3},
                             .stride = {1, 2, 1},
                             .before = {1, 0, 1}});
}

/* Both versions, on an image of one channel: which pixels they keep. */
static void check_kept(const struct pool *p, const double *x, const int32_t *want)
{
    const struct op_case c = case_of(p);
    const struct dts_operation *op = dts_operation_find("max_pool");
    for (size_t real = 4; real <= 8; real += 4) {
        struct op_run r = op_begin(&c, op, real);
        for (size_t i = 0; i < dts_dims_elements(&c.call.inputs[0]); i++)
            op_set((void *)r.a.x[0], real, i, x[i]);
        op_run_version(&r, real == 4 ? &op->host : &op->reference, false, NULL);
        for (size_t i = 0; i < dts_dims_elements(&c.call.output); i++) {
            CHECK_INT(((int32_t *)r.a.saved)[i], want[i]);
            CHECK(op_get(r.a.y, real, i) == x[want[i]]);
        }
        op_end(&r);
    }
}

static void of_equal_values_the_first_counts(void)
{
    const struct pool pool = {.op = "max_pool",
                              .batch = 1,
                              .axes = 2,
                              .size = {1, 3, 4},
                              .out = {2, 2},
                              .kernel = {2, 3},
                              .stride = {1, 1}};
    const double x[] = {0, 0, 1, 0, //
                        1, 0, 1, 1, //
                        1, 0, 1, 0};
    check_kept(&pool, x, (const int32_t[]){2, 2, 4, 6});
    const double low[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
                          -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    check_kept(&pool, low, (const int32_t[]){0, 1, 4, 5});
}

/* Nearly all of this window is padding, which counts: 2^17 values along two axes. */
static void a_mean_may_be_of_more_values_than_an_int_counts(void)
{
    const struct dts_operation *op = dts_operation_find("avg_pool");
    const struct op_case c = case_of(&(struct pool){.batch = 1,
                                                    .axes = 3,
                                                    .size = {1, 1, 1, 1},
                                                    .out = {1, 1, 1},
                                                    .kernel = {1 << 17, 1 << 17, 1},
                                                    .stride = {1 << 17, 1 << 17, 1},
                                                    .before = {1 << 16, 1 << 16, 0}});
    const double values = 0x1p34;
    for (size_t real = 4; real <= 8; real += 4) {
        const struct dts_op_version *version = real == 4 ? &op->host : &op->reference;
        struct op_run r = op_begin(&c, op, real);
        op_set((void *)r.a.x[0], real, 0, 3);
        op_set((void *)r.a.dy, real, 0, 5);
        op_run_version(&r, version, false, NULL);
        CHECK_CLOSE(op_get(r.a.y, real, 0), 3 / values, 1e-6);
        op_run_version(&r, version, true, NULL);
        CHECK_CLOSE(op_get(r.a.dx[0], real, 0), 5 / values, 1e-6);
        op_end(&r);
    }
}

/* Back: windows share places, and integers add up exactly. */
static void check_equals_back(const struct op_case *c, const struct dts_operation *op,
                              struct op_run *host, struct op_run *reference)
{
    for (size_t k = 0; k < dts_dims_elements(&c->call.output); k++) {
        const double value = k % 31 == 30 ? NAN : (double)(k * k % 17) - 5;
        op_set((void *)host->a.dy, 4, k, value);
        op_set((void *)reference->a.dy, 8, k, value);
    }
    op_run_version(host, &op->host, true, NULL);
    op_run_version(reference, &op->reference, true, NULL);
    for (size_t k = 0; k < dts_dims_elements(&c->call.inputs[0]); k++) {
        const double is = op_get(host->a.dx[0], 4, k), want = op_get(reference->a.dx[0], 8, k);
        CHECK(isnan(want) ? isnan(is) : is == want);
    }
}

/* Few different values: each window has its largest more than once, and some none above minus
 * infinity. */
static void check_equals(const struct pool *pool)
{
    static const double values[] = {-INFINITY, 0, 1, -INFINITY, 1, -INFINITY, -INFINITY};
    const struct dts_operation *op = dts_operation_find("max_pool");
    const struct op_case c = case_of(pool);
    struct op_run host = op_begin(&c, op, 4), reference = op_begin(&c, op, 8);
    for (size_t k = 0; k < dts_dims_elements(&c.call.inputs[0]); k++) {
        const double value = values[(k * k / 3 + k) % 7];
        op_set((void *)host.a.x[0], 4, k, value);
        op_set((void *)reference.a.x[0], 8, k, value);
    }
    op_run_version(&host, &op->host, false, NULL);
    op_run_version(&reference, &op->reference, false, NULL);
    for (size_t k = 0; k < dts_dims_elements(&c.call.output); k++) {
        CHECK_INT(((int32_t *)host.a.saved)[k], ((int32_t *)reference.a.saved)[k]);
        CHECK(op_get(host.a.y, 4, k) == op_get(reference.a.y, 8, k));
    }
    check_equals_back(&c, op, &host, &reference);
    op_end(&host);
    op_end(&reference);
}

/* Forward and back, where some values are not numbers: they reach the windows that take them in
 * and no others, also beside the ends of lines. */
static void check_means(const struct pool *pool)
{
    const struct dts_operation *op = dts_operation_find("avg_pool");
    const struct op_case c = case_of(pool);
    struct op_run host = op_begin(&c, op, 4), reference = op_begin(&c, op, 8);
    const size_t in = dts_dims_elements(&c.call.inputs[0]);
    const size_t out = dts_dims_elements(&c.call.output);
    for (size_t k = 0; k < in || k < out; k++) {
        const double value = k % 31 == 30 ? NAN : (double)(k * k % 17) - 5;
        if (k < in)
            op_set((void *)host.a.x[0], 4, k, value),
                op_set((void *)reference.a.x[0], 8, k, value);
        if (k < out)
            op_set((void *)host.a.dy, 4, k, value), op_set((void *)reference.a.dy, 8, k, value);
    }
    for (int back = 0; back < 2; back++) {
        op_run_version(&host, &op->host, back, NULL);
        op_run_version(&reference, &op->reference, back, NULL);
        for (size_t k = 0; k < (back ? in : out); k++) {
            const double is = op_get(back ? host.a.dx[0] : host.a.y, 4, k);
            const double want = op_get(back ? reference.a.dx[0] : reference.a.y, 8, k);
            CHECK(isnan(is) == isnan(want));
            if (!isnan(is))
                CHECK_NEAR(is, want, 1e-5);
        }
    }
    op_end(&host);
    op_end(&reference);
}

/* Windows of whole vectors, also such as begin outside, and fewer than a vector holds. */
static void check_lines_of_any_length(const char *op, void (*check)(const struct pool *))
{
    static const int windows[][3] = {{3, 2, 0}, {3, 2, 1}, {3, 2, 2}, {2, 2, 0},
                                     {2, 2, 1}, {3, 1, 0}, {3, 1, 1}, {3, 1, 2}};
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
        for (int length = 3; length <= 50; length += length < 36 ? 1 : 7) {
            const int kernel = windows[i][0], stride = windows[i][1], before = windows[i][2];
            struct pool pool = {.op = op,
                                .batch = 1,
                                .axes = 2,
                                .size = {3, 9, length},
                                .kernel = {kernel, kernel},
                                .stride = {stride, stride},
                                .before = {before, before}};
            for (int axis = 0; axis < 2; axis++)
                pool.out[axis] = (pool.size[axis + 1] + 2 * before - kernel) / stride + 1;
            check(&pool);
        }
}

static void of_equal_values_on_lines_of_any_length(void)
{
    check_lines_of_any_length("max_pool", check_equals);
}

static void means_on_lines_of_any_length(void)
{
    check_lines_of_any_length("avg_pool", check_means);
}

/* By hand: what an average divides by, at the padding and beyond it. */
static void check_averages(bool inside, const double *want)
{
    const struct pool pool = {.op = "avg_pool",
                              .batch = 1,
                              .axes = 1,
                              .size = {1, 4},
                              .out = {4},
                              .kernel = {3},
                              .stride = {2},
                              .before = {1}};
    const struct op_case c = case_of(&pool);
    const struct dts_operation *op = dts_operation_find("avg_pool");
    const double x[] = {3, 6, 12, 24};
    for (size_t real = 4; real <= 8; real += 4) {
        struct op_case three = c;
        three.call.inside = inside;
        three.call.output.size[1] = 3; // the last window ends one behind the padding
        struct op_run r = op_begin(&three, op, real);
        for (size_t i = 0; i < 4; i++)
            op_set((void *)r.a.x[0], real, i, x[i]);
        op_run_version(&r, real == 4 ? &op->host : &op->reference, false, NULL);
        for (size_t i = 0; i < 3; i++)
            CHECK_NEAR(op_get(r.a.y, real, i), want[i], 1e-6);
        op_end(&r);
    }
}

static void averages_count_padding_as_zeros(void)
{
    check_averages(false, (const double[]){9 / 3.0, 42 / 3.0, 24 / 2.0});
    check_averages(true, (const double[]){9 / 2.0, 42 / 3.0, 24 / 1.0});
}

static void means_of_channels(void)
{
    struct op_case c = {.batch = 3,
                        .sums = 35,
                        .call = {.op = "global_pool",
                                 .input_count = 1,
                                 .inputs = {{3, {5, 5, 7, 1}}},
                                 .output = {1, {5, 1, 1, 1}}}};
    check_op(&c);
    c.call.inputs[0] = (struct dts_dims){4, {2, 3, 4, 5}};
    c.call.output.size[0] = 2;
    check_op(&c);
    c.call.inputs[0] = (struct dts_dims){2, {2, 33, 1, 1}};
    check_op(&c);
}

static void means_over_a_grid(void)
{
    struct op_case c = {.batch = 2,
                        .sums = 35,
                        .call = {.op = "adaptive_pool",
                                 .input_count = 1,
                                 .inputs = {{3, {3, 7, 10, 1}}},
                                 .output = {3, {3, 3, 4, 1}}}};
    check_op(&c);
    c.call.output = (struct dts_dims){3, {3, 1, 1, 1}};
    check_op(&c);
    c.call.output = (struct dts_dims){3, {3, 9, 12, 1}}; // more windows than values
    check_op(&c);
    c.call.inputs[0] = (struct dts_dims){4, {2, 5, 4, 3}};
    c.call.output = (struct dts_dims){4, {2, 2, 3, 1}};
    check_op(&c);
}

/* More than caches keep; shares of workers. */
static void large_results_are_right(void)
{
    static const struct pool pools[] = {
        {.op = "max_pool", .size = {120, 112, 112}, .out = {56, 55}, .before = {1, 0}},
        // planes and shares of workers that end beside lines of memory
        {.op = "max_pool", .size = {121, 111, 113}, .out = {56, 57}, .before = {1, 1}},
        {.op = "max_pool", .size = {121, 111, 113}, .out = {55, 56}, .kernel = {2, 2}},
        {.op = "avg_pool",
         .size = {37, 229, 199},
         .out = {229, 199},
         .stride = {1, 1},
         .before = {1, 1}},
        // none of the usual windows
        {.op = "max_pool",
         .size = {120, 112, 112},
         .out = {55, 36},
         .kernel = {3, 4},
         .stride = {2, 3}},
    };
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        struct pool pool = pools[i];
        pool.batch = 3;
        pool.axes = 2;
        for (int axis = 0; axis < 2; axis++) {
            pool.kernel[axis] = pool.kernel[axis] > 0 ? pool.kernel[axis] : 3;
            pool.stride[axis] = pool.stride[axis] > 0 ? pool.stride[axis] : 2;
        }
        const struct op_case c = case_of(&pool);
        op_check_host(&c, dts_operation_find(pool.op), 3);
    }
}

TESTS(TEST(windows_on_images), TEST(the_last_window_may_end_outside), TEST(long_lines),
      TEST(longest_lines_and_few), TEST(lines_and_volumes),
      TEST(of_equal_values_the_first_counts), TEST(of_equal_values_on_lines_of_any_length),
      TEST(averages_count_padding_as_zeros), TEST(means_on_lines_of_any_length),
      TEST(means_of_channels), TEST(means_over_a_grid), TEST(large_results_are_right),
      TEST(a_mean_may_be_of_more_values_than_an_int_counts))

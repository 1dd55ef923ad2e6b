/* test_op_ranks.c -- batch normalization in two halves: ranks that add up their sums get what
 * one rank gets from the whole batch, by the reference, on a CPU and, where there is one, on a
 * GPU.
 */
#include "kernels/op_shapes.h"

enum { MOST_RANKS = 5 };

enum where { REFERENCE, HOST, GPU };

/* Ranks that each have `batch` samples, and the whole of them at once. */
struct ranks {
    struct op_case part, all;
    int count;
    enum where where;
    const struct dts_operation *op;
    struct op_run runs[MOST_RANKS], whole; // whole: by the reference
    struct dts_workers *workers;
    struct dts_gpu *gpu;
};

static struct op_case norm_of(int batch, struct dts_dims dims, bool relu)
{
    struct op_case c = op_alike("batch_norm", batch, dims, 1);
    c.call.param_count = 2;
    c.call.params[0] = c.call.params[1] = dims.size[0];
    c.call.relu = relu;
    return c;
}

static void copy(void *to, size_t real, const void *from, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        op_set(to, real, i, op_get(from, 8, first + i));
}

static void begin(struct ranks *s, struct dts_dims dims, int batch, bool relu)
{
    struct dts_error err = {0};
    const size_t real = s->where == REFERENCE ? 8 : 4, channels = dims.size[0];
    s->op = dts_operation_find("batch_norm");
    s->part = norm_of(batch, dims, relu);
    s->all = norm_of(batch * s->count, dims, relu);
    s->whole = op_begin(&s->all, s->op, 8);
    s->workers = s->where == HOST ? dts_workers_new(3) : NULL;
    if (s->where == GPU)
        CHECK(dts_gpu_open(&s->gpu, 0, &err));
    for (int r = 0; r < s->count; r++) {
        struct op_run *run = &s->runs[r];
        const size_t values = op_values(&s->part, &dims), first = (size_t)r * values;
        *run = op_begin(&s->part, s->op, real);
        copy((void *)run->a.x[0], real, s->whole.a.x[0], first, values);
        copy((void *)run->a.dy, real, s->whole.a.dy, first, values);
        run->a.ranks = s->count;
        run->sums = 2 * channels * sizeof(double);
        run->a.sums = op_unwritten(run->sums);
    }
}

static void end(struct ranks *s)
{
    for (int r = 0; r < s->count; r++)
        op_end(&s->runs[r]);
    op_end(&s->whole);
    dts_workers_free(s->workers);
    if (s->gpu != NULL)
        dts_gpu_close(s->gpu);
}

static void run(struct ranks *s, struct op_run *r, enum dts_op_part part, bool back)
{
    struct dts_error err = {0};
    r->a.part = part;
    if (s->where == GPU)
        CHECK(op_run_gpu(r, s->gpu, back, NULL, &err));
    else
        op_run_version(r, s->where == HOST ? &s->op->host : &s->op->reference, back,
                       s->workers);
}

/* Nothing but sums is there after a first half. */
static void check_unwritten(const void *array, size_t bytes)
{
    const unsigned char *byte = array;
    for (size_t i = 0; array != NULL && i < bytes; i++)
        if (!CHECK(byte[i] == 0xff))
            return;
}

/* All ranks have the sums of all. */
static void all_reduce(struct ranks *s)
{
    const size_t count = s->runs[0].sums / sizeof(double);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (int r = 0; r < s->count; r++)
            sum += s->runs[r].a.sums[i];
        for (int r = 0; r < s->count; r++)
            s->runs[r].a.sums[i] = sum;
    }
}

static void pass(struct ranks *s, bool back)
{
    for (int r = 0; r < s->count; r++) {
        struct op_run *run_of = &s->runs[r];
        const size_t bytes = op_values(&s->part, &s->part.call.output) * run_of->real;
        run(s, run_of, DTS_OP_SUMS, back);
        check_unwritten(back ? run_of->a.dx[0] : run_of->a.y, bytes);
    }
    all_reduce(s);
    for (int r = 0; r < s->count; r++)
        run(s, &s->runs[r], DTS_OP_REST, back);
    op_run_version(&s->whole, &s->op->reference, back, NULL);
}

static void compare(const struct ranks *s, const void *got, const void *want, size_t first,
                    size_t count, double tolerance)
{
    const size_t real = s->runs[0].real;
    for (size_t i = 0; i < count; i++) {
        const double value = op_get(want, 8, first + i);
        if (!CHECK_NEAR(op_get(got, real, i), value, tolerance * (1 + fabs(value))))
            return;
    }
}

/* Gradients of parameters are of the rank's own samples: their sum is the whole batch's. What
 * was there before is the same in each. */
static void compare_parameters(const struct ranks *s, int param, double tolerance)
{
    const size_t count = s->part.call.params[param];
    double *before = op_random(count, 8, 30 + (uint64_t)param);
    for (size_t i = 0; i < count; i++) {
        double sum = before[i];
        for (int r = 0; r < s->count; r++)
            sum += op_get(s->runs[r].a.dw[param], s->runs[r].real, i) - before[i];
        const double want = op_get(s->whole.a.dw[param], 8, i);
        CHECK_NEAR(sum, want, tolerance * (1 + fabs(want)));
    }
    free(before);
}

static void check(enum where where, int ranks, int batch, struct dts_dims dims, bool relu)
{
    struct ranks s = {.count = ranks, .where = where};
    const size_t values = (size_t)batch * dts_dims_elements(&dims), channels = dims.size[0];
    // as op_check.h has it; the reference's halves differ by the rounding of doubles
    const double epsilon = where == REFERENCE ? 0x1p-53 : 0x1p-24;
    const double tolerance = 8 * sqrt((double)values * ranks + 4) * epsilon * 4;
    begin(&s, dims, batch, relu);
    pass(&s, false);
    for (int r = 0; r < ranks; r++) {
        compare(&s, s.runs[r].a.y, s.whole.a.y, (size_t)r * values, values, tolerance);
        compare(&s, s.runs[r].a.saved, s.whole.a.saved, 0, 2 * channels, tolerance);
        compare(&s, s.runs[r].a.state, s.whole.a.state, 0, 2 * channels + 1, tolerance);
    }
    pass(&s, true);
    for (int r = 0; r < ranks; r++)
        compare(&s, s.runs[r].a.dx[0], s.whole.a.dx[0], (size_t)r * values, values, tolerance);
    compare_parameters(&s, 0, tolerance);
    compare_parameters(&s, 1, tolerance);
    end(&s);
}

static void check_shapes(enum where where)
{
    for (int relu = 0; relu < 2; relu++) {
        check(where, 2, 3, (struct dts_dims){3, {5, 4, 7, 1}}, relu);
        check(where, 5, 1, (struct dts_dims){1, {19, 1, 1, 1}}, relu);
        check(where, 3, 2, (struct dts_dims){4, {3, 3, 2, 5}}, relu);
        check(where, 4, 1, (struct dts_dims){3, {2, 65, 67, 1}}, relu); // more than a piece
        check(where, 1, 2, (struct dts_dims){2, {70, 3, 1, 1}}, relu);
    }
}

static void ranks_together_normalize_as_one_does(void)
{
    check_shapes(REFERENCE);
    check_shapes(HOST);
}

static void ranks_with_gpus_normalize_as_one_does(void)
{
    if (op_gpu_missing() != NULL)
        SKIP(op_gpu_missing());
    check_shapes(GPU);
}

/* Values of 1e4 +- 1: their squares do not hold the variance in float. */
static void a_mean_far_from_zero_cancels_nothing(void)
{
    struct ranks s = {.count = 3, .where = HOST};
    const struct dts_dims dims = {2, {2, 5000, 1, 1}};
    begin(&s, dims, 1, false);
    for (size_t i = 0; i < op_values(&s.all, &dims); i++) {
        const size_t r = i / op_values(&s.part, &dims), at = i % op_values(&s.part, &dims);
        const double value = (double)(float)(1e4 + op_get(s.whole.a.x[0], 8, i));
        op_set((void *)s.whole.a.x[0], 8, i, value);
        op_set((void *)s.runs[r].a.x[0], 4, at, value);
    }
    pass(&s, false);
    for (int r = 0; r < s.count; r++)
        for (size_t i = 0; i < 4; i++) // mean, 1 / deviation
            CHECK_CLOSE(op_get(s.runs[r].a.saved, 4, i), op_get(s.whole.a.saved, 8, i), 1e-5);
    end(&s);
}

/* The same value everywhere: what is left of the variance is rounding, which must not be below
 * 0.
 */
static void a_channel_of_one_value_stays_finite(void)
{
    for (int where = REFERENCE; where <= HOST; where++) {
        struct ranks s = {.count = 3, .where = (enum where)where};
        const struct dts_dims dims = {2, {1, 77, 1, 1}};
        begin(&s, dims, 1, false);
        for (int r = 0; r < s.count; r++)
            for (size_t i = 0; i < 77; i++)
                op_set((void *)s.runs[r].a.x[0], s.runs[r].real, i, (double)1234.567f);
        pass(&s, false);
        for (int r = 0; r < s.count; r++)
            CHECK_CLOSE(op_get(s.runs[r].a.saved, s.runs[r].real, 1), 1 / sqrt(1e-5), 1e-2);
        end(&s);
    }
}

/* Who needs no gradient of the input needs no second half. */
static void parameters_have_their_gradients_after_the_first_half(void)
{
    struct ranks s = {.count = 2, .where = HOST};
    const struct dts_dims dims = {3, {5, 4, 7, 1}};
    begin(&s, dims, 3, true);
    pass(&s, false);
    op_run_version(&s.whole, &s.op->reference, true, NULL);
    for (int r = 0; r < s.count; r++)
        run(&s, &s.runs[r], DTS_OP_SUMS, true);
    compare_parameters(&s, 0, 1e-5);
    compare_parameters(&s, 1, 1e-5);
    end(&s);
}

TESTS(TEST(ranks_together_normalize_as_one_does), TEST(ranks_with_gpus_normalize_as_one_does),
      TEST(a_mean_far_from_zero_cancels_nothing), TEST(a_channel_of_one_value_stays_finite),
      TEST(parameters_have_their_gradients_after_the_first_half))

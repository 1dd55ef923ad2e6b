/* test_op_divided.c -- tensor parallelism by the kernels: ranks with a part of the rows of a
 * table, of the classes, of the outputs or the inputs of a linear layer, or of the heads,
 * together get what one rank gets, by the reference, on a CPU and, where there is one, on a
 * GPU.
 */
#include "kernels/op_shapes.h"

enum { MOST_RANKS = 4 };

enum where { REFERENCE, HOST, GPU };

static const double tolerances[] = {1e-12, 1e-5, 1e-5};

/* Ranks that each have a part, and the whole by the reference. */
struct divided {
    struct op_case parts[MOST_RANKS], all;
    int count;
    enum where where;
    const struct dts_operation *op;
    struct op_run runs[MOST_RANKS], whole;
    size_t first[MOST_RANKS + 1]; // of the rows, classes, outputs ... of each rank
    struct dts_workers *workers;
    struct dts_gpu *gpu;
};

static size_t real_of(const struct divided *d)
{
    return d->where == REFERENCE ? 8 : 4;
}

/* Uneven where it does not divide. */
static void share(struct divided *d, size_t count)
{
    for (int r = 0; r <= d->count; r++)
        d->first[r] = ((size_t)r * count + (size_t)d->count - 1) / (size_t)d->count;
}

static size_t part(const struct divided *d, int r)
{
    return d->first[r + 1] - d->first[r];
}

/* The parts are cases by now. */
static void begin(struct divided *d)
{
    struct dts_error err = {0};
    d->op = dts_operation_find(d->all.call.op);
    d->whole = op_begin(&d->all, d->op, 8);
    d->workers = d->where == HOST ? dts_workers_new(3) : NULL;
    if (d->where == GPU)
        CHECK(dts_gpu_open(&d->gpu, 0, &err));
    for (int r = 0; r < d->count; r++) {
        d->runs[r] = op_begin(&d->parts[r], d->op, real_of(d));
        d->runs[r].a.rank = r;
        d->runs[r].a.ranks = d->count;
    }
}

static void end(struct divided *d)
{
    for (int r = 0; r < d->count; r++)
        op_end(&d->runs[r]);
    op_end(&d->whole);
    dts_workers_free(d->workers);
    if (d->gpu != NULL)
        dts_gpu_close(d->gpu);
}

static void run(struct divided *d, int r, enum dts_op_part half, bool back)
{
    struct dts_error err = {0};
    struct op_run *run_of = &d->runs[r];
    run_of->a.part = half;
    if (d->where == GPU)
        CHECK(op_run_gpu(run_of, d->gpu, back, NULL, &err));
    else
        op_run_version(run_of, d->where == HOST ? &d->op->host : &d->op->reference, back,
                       d->workers);
}

static void run_all(struct divided *d, bool back)
{
    for (int r = 0; r < d->count; r++)
        run(d, r, DTS_OP_WHOLE, back);
    op_run_version(&d->whole, &d->op->reference, back, NULL);
}

/* Rows of `wide` values of the whole; a part has `count` of each from `first` on. */
static void take(const struct divided *d, void *to, const void *whole, size_t rows, size_t wide,
                 size_t first, size_t count)
{
    for (size_t i = 0; i < rows * count; i++)
        op_set(to, real_of(d), i, op_get(whole, 8, i / count * wide + first + i % count));
}

static void compare(const struct divided *d, const void *got, const void *whole, size_t rows,
                    size_t wide, size_t first, size_t count)
{
    for (size_t i = 0; i < rows * count; i++) {
        const double want = op_get(whole, 8, i / count * wide + first + i % count);
        if (!CHECK_NEAR(op_get(got, real_of(d), i), want,
                        tolerances[d->where] * (1 + fabs(want))))
            return;
    }
}

/* What ranks have adds up to the whole; `before`: what was there in each and in the whole. */
static void compare_sum(const struct divided *d, const void *const *got, const void *whole,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double want = op_get(whole, 8, i);
        double sum = 0;
        for (int r = 0; r < d->count; r++)
            sum += op_get(got[r], real_of(d), i);
        if (!CHECK_NEAR(sum, want, tolerances[d->where] * (1 + fabs(want))))
            return;
    }
}

static struct op_case embedding_of(size_t rows)
{
    struct op_case c = op_alike("embedding", 3, (struct dts_dims){2, {7, 5}}, 1);
    c.call.inputs[0] = (struct dts_dims){1, {7}};
    c.call.param_count = 1;
    c.call.params[0] = rows * 5;
    c.most_x = 40; // beyond the table: the remainder
    return c;
}

static void check_embedding(enum where where, int ranks)
{
    struct divided d = {.count = ranks, .where = where, .all = embedding_of(23)};
    const void *y[MOST_RANKS];
    share(&d, 23);
    for (int r = 0; r < ranks; r++)
        d.parts[r] = embedding_of(part(&d, r));
    begin(&d);
    for (int r = 0; r < ranks; r++) {
        struct dts_arrays *a = &d.runs[r].a;
        a->first = d.first[r], a->all = 23;
        take(&d, (void *)a->w[0], d.whole.a.w[0], 1, 0, d.first[r] * 5, part(&d, r) * 5);
        take(&d, a->dw[0], d.whole.a.dw[0], 1, 0, d.first[r] * 5, part(&d, r) * 5);
        y[r] = a->y;
    }
    run_all(&d, false);
    compare_sum(&d, y, d.whole.a.y, op_values(&d.all, &d.all.call.output));
    run_all(&d, true);
    for (int r = 0; r < ranks; r++)
        compare(&d, d.runs[r].a.dw[0], d.whole.a.dw[0], 1, 0, d.first[r] * 5, part(&d, r) * 5);
    end(&d);
}

enum { LOSS_BATCH = 3, LOSS_POSITIONS = 4, LOSS_ALL = LOSS_BATCH * LOSS_POSITIONS };

static struct op_case loss_of(size_t classes, int most)
{
    struct op_case c = op_alike("softmax_cross_entropy", LOSS_BATCH,
                                (struct dts_dims){2, {LOSS_POSITIONS, classes}}, 1);
    c.call.output = (struct dts_dims){1, {1}};
    c.call.ignored = 2;
    c.call.weight = 0.7;
    c.most_target = most;
    c.least_target = -1; // does not count
    c.targets = LOSS_POSITIONS;
    return c;
}

static void gather_sums(struct divided *d)
{
    for (size_t i = 0; i < (size_t)3 * LOSS_ALL * (size_t)d->count; i++) {
        double sum = 0;
        for (int r = 0; r < d->count; r++)
            sum += d->runs[r].a.sums[i];
        for (int r = 0; r < d->count; r++)
            d->runs[r].a.sums[i] = sum;
    }
}

/* far: how much larger the values of the last rank are: exp of it may be infinite. */
static void check_loss(enum where where, int ranks, double far)
{
    enum { CLASSES = 13 };
    struct divided d = {.count = ranks, .where = where, .all = loss_of(CLASSES, CLASSES)};
    share(&d, CLASSES);
    for (int r = 0; r < ranks; r++)
        d.parts[r] = loss_of(part(&d, r), CLASSES);
    begin(&d);
    for (size_t i = 0; i < (size_t)LOSS_ALL * CLASSES; i++)
        if (i % CLASSES >= d.first[ranks - 1])
            op_set((void *)d.whole.a.x[0], 8, i,
                   (double)(float)(op_get(d.whole.a.x[0], 8, i) + far));
    for (int r = 0; r < ranks; r++) {
        struct op_run *run_of = &d.runs[r];
        run_of->a.first = d.first[r], run_of->a.all = CLASSES;
        take(&d, (void *)run_of->a.x[0], d.whole.a.x[0], LOSS_ALL, CLASSES, d.first[r],
             part(&d, r));
        run_of->sums = (size_t)3 * LOSS_ALL * (size_t)ranks * sizeof(double);
        run_of->a.sums = op_unwritten(run_of->sums);
        run(&d, r, DTS_OP_SUMS, false);
    }
    gather_sums(&d);
    op_run_version(&d.whole, &d.op->reference, false, NULL);
    op_run_version(&d.whole, &d.op->reference, true, NULL);
    for (int r = 0; r < ranks; r++) {
        run(&d, r, DTS_OP_REST, false);
        run(&d, r, DTS_OP_WHOLE, true);
        compare(&d, d.runs[r].a.y, d.whole.a.y, 1, 0, 0, LOSS_BATCH);
        compare(&d, d.runs[r].a.dx[0], d.whole.a.dx[0], LOSS_ALL, CLASSES, d.first[r],
                part(&d, r));
    }
    end(&d);
}

static void check_vocabulary(enum where where)
{
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        check_embedding(where, ranks);
        check_loss(where, ranks, 0);
        check_loss(where, ranks, 900);
        check_loss(where, ranks, -900);
    }
}

static void a_vocabulary_can_be_on_several_ranks(void)
{
    check_vocabulary(REFERENCE);
    check_vocabulary(HOST);
}

static void a_vocabulary_can_be_on_several_gpus(void)
{
    if (op_gpu_missing() != NULL)
        SKIP(op_gpu_missing());
    check_vocabulary(GPU);
}

/* A row that says that it divides is one that is checked here. */
static void whoever_divides_is_checked(void)
{
    int found = 0;
    for (int i = 0; dts_operations[i] != NULL; i++)
        found += dts_operations[i]->divides;
    CHECK_INT(found, 2);
    CHECK(dts_operation_find("embedding")->divides);
    CHECK(dts_operation_find("softmax_cross_entropy")->divides);
}

static struct op_case linear_of(size_t in, size_t out)
{
    struct op_case c = op_alike("linear", 3, (struct dts_dims){2, {4, in}}, 1);
    c.call.output = (struct dts_dims){2, {4, out}};
    c.call.param_count = 1;
    c.call.params[0] = in * out;
    return c;
}

/* Megatron's two: by outputs, whose ranks need all of x and have parts of y, and by inputs,
 * whose parts of x give what adds up to y; backward it is the other way around. */
static void check_linear(enum where where, bool by_outputs)
{
    enum { IN = 12, OUT = 16, ROWS = 12 };
    struct divided d = {.count = 4, .where = where, .all = linear_of(IN, OUT)};
    const void *sums[MOST_RANKS];
    share(&d, by_outputs ? OUT : IN);
    for (int r = 0; r < d.count; r++)
        d.parts[r] = linear_of(by_outputs ? IN : part(&d, r), by_outputs ? part(&d, r) : OUT);
    begin(&d);
    for (int r = 0; r < d.count; r++) {
        struct dts_arrays *a = &d.runs[r].a;
        const size_t first = d.first[r], count = part(&d, r);
        if (by_outputs) {
            take(&d, (void *)a->w[0], d.whole.a.w[0], 1, 0, first * IN, count * IN);
            take(&d, a->dw[0], d.whole.a.dw[0], 1, 0, first * IN, count * IN);
            take(&d, (void *)a->dy, d.whole.a.dy, ROWS, OUT, first, count);
        } else {
            take(&d, (void *)a->w[0], d.whole.a.w[0], OUT, IN, first, count);
            take(&d, a->dw[0], d.whole.a.dw[0], OUT, IN, first, count);
            take(&d, (void *)a->x[0], d.whole.a.x[0], ROWS, IN, first, count);
        }
        sums[r] = by_outputs ? a->dx[0] : a->y;
    }
    run_all(&d, false);
    run_all(&d, true);
    compare_sum(&d, sums, by_outputs ? d.whole.a.dx[0] : d.whole.a.y,
                ROWS * (by_outputs ? IN : OUT));
    for (int r = 0; r < d.count; r++) {
        const struct dts_arrays *a = &d.runs[r].a;
        const size_t first = d.first[r], count = part(&d, r);
        if (by_outputs) {
            compare(&d, a->y, d.whole.a.y, ROWS, OUT, first, count);
            compare(&d, a->dw[0], d.whole.a.dw[0], 1, 0, first * IN, count * IN);
        } else {
            compare(&d, a->dx[0], d.whole.a.dx[0], ROWS, IN, first, count);
            compare(&d, a->dw[0], d.whole.a.dw[0], OUT, IN, first, count);
        }
    }
    end(&d);
}

static void linear_layers_are_cut_by_outputs_and_by_inputs(void)
{
    for (enum where where = REFERENCE; where <= HOST; where++) {
        check_linear(where, true);
        check_linear(where, false);
    }
}

static struct op_case attention_of(int heads)
{
    const size_t wide = (size_t)heads * 6;
    struct op_case c = op_alike("attention", 2, (struct dts_dims){2, {5, 3 * wide}}, 1);
    c.call.output = (struct dts_dims){2, {5, wide}};
    c.call.heads = heads;
    c.call.causal = true;
    return c;
}

/* Queries, keys and values of a rank's heads, from those of all. */
static void check_attention(enum where where)
{
    enum { HEADS = 4, HEAD = 6, ROWS = 10, RANKS = 2, ALL = HEADS * HEAD, HERE = ALL / RANKS };
    struct divided d = {.count = RANKS, .where = where, .all = attention_of(HEADS)};
    share(&d, ALL);
    for (int r = 0; r < RANKS; r++)
        d.parts[r] = attention_of(HEADS / RANKS);
    begin(&d);
    for (int r = 0; r < RANKS; r++) {
        struct dts_arrays *a = &d.runs[r].a;
        take(&d, (void *)a->x[0], d.whole.a.x[0], 3 * ROWS, ALL, d.first[r], HERE);
        take(&d, (void *)a->dy, d.whole.a.dy, ROWS, ALL, d.first[r], HERE);
    }
    run_all(&d, false);
    run_all(&d, true);
    for (int r = 0; r < RANKS; r++) {
        compare(&d, d.runs[r].a.y, d.whole.a.y, ROWS, ALL, d.first[r], HERE);
        compare(&d, d.runs[r].a.dx[0], d.whole.a.dx[0], 3 * ROWS, ALL, d.first[r], HERE);
    }
    end(&d);
}

static void heads_attend_apart(void)
{
    check_attention(REFERENCE);
    check_attention(HOST);
}

TESTS(TEST(a_vocabulary_can_be_on_several_ranks), TEST(a_vocabulary_can_be_on_several_gpus),
      TEST(whoever_divides_is_checked), TEST(linear_layers_are_cut_by_outputs_and_by_inputs),
      TEST(heads_attend_apart))

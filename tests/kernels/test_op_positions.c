/* test_op_positions.c -- ranks that have parts of the positions get, of attention in parts
 * between which rows are exchanged (kernels/op.h) and of rotary positions, what one rank gets
 * by the reference.
 */
#include "kernels/attention/attention.h"
#include "kernels/op_shapes.h"

enum { MOST = 4, BATCH = 2, POSITIONS = 8, HEADS = 4, HEAD = 3, FEATURES = HEADS * HEAD };

struct ranks {
    int count;
    size_t keys; // features of keys, and of values, of all heads
    bool one;    // one tensor of q, k, v
    double rate;
    struct op_case part, all;
    struct op_run runs[MOST], whole;
    float *rows[MOST];
};

/* ranks 1: of all; else of the work of each. */
static struct op_case attention(const struct ranks *t, int ranks)
{
    const size_t n = (size_t)ranks;
    const struct dts_dims queries = {2, {POSITIONS, FEATURES / n}};
    struct op_case c = op_alike("attention", BATCH, queries, t->one ? 1 : 3);
    c.call.rate = t->rate;
    c.call.heads = HEADS / ranks;
    c.call.causal = true;
    c.call.context_ranks = ranks > 1 ? ranks : 0;
    if (t->one)
        c.call.inputs[0].size[1] = 3 * FEATURES / n;
    for (int i = 1; i < c.call.input_count; i++)
        c.call.inputs[i].size[1] = t->keys / n;
    return c;
}

/* ranks 1: of all; else of a rank, which has all heads at its positions. */
static struct op_case gathered(const struct ranks *t, int ranks)
{
    struct op_case c = attention(t, 1);
    c.call.context_ranks = ranks > 1 ? ranks : 0;
    c.call.gathered = ranks > 1;
    c.call.output.size[0] /= (size_t)ranks;
    for (int i = 0; i < c.call.input_count; i++)
        c.call.inputs[i].size[0] /= (size_t)ranks;
    return c;
}

/* The rank's positions of a tensor of all, or from there to it; features of all. */
static double *place(const double *whole, int ranks, int rank, size_t features, size_t i)
{
    const size_t here = POSITIONS / (size_t)ranks, row = i / features;
    const size_t at = (row / here * POSITIONS + (size_t)rank * here + row % here) * features;
    return (double *)whole + at + i % features;
}

static size_t features_of(const struct ranks *t, int input)
{
    return t->all.call.inputs[input].size[1];
}

static void begin(struct ranks *t)
{
    const struct dts_operation *op = dts_operation_find("attention");
    t->whole = op_begin(&t->all, op, 8);
    for (int r = 0; r < t->count; r++) {
        struct op_run *run = &t->runs[r];
        *run = op_begin(&t->part, op, 4);
        t->rows[r] =
            op_unwritten(dts_attention_row_values(&t->part.call, BATCH) * sizeof(float));
        run->a.rows = t->rows[r];
        run->a.rank = r;
        for (int i = 0; i < t->part.call.input_count; i++)
            for (size_t k = 0; k < op_values(&t->part, &t->part.call.inputs[i]); k++)
                op_set((void *)run->a.x[i], 4, k,
                       *place(t->whole.a.x[i], t->count, r, features_of(t, i), k));
        for (size_t k = 0; k < op_values(&t->part, &t->part.call.output); k++)
            op_set((void *)run->a.dy, 4, k, *place(t->whole.a.dy, t->count, r, FEATURES, k));
    }
}

static void run(struct ranks *t, enum dts_op_part part, bool back)
{
    for (int r = 0; r < t->count; r++) {
        t->runs[r].a.part = part;
        op_run_version(&t->runs[r], &t->runs[r].op->host, back, NULL);
    }
}

/* All to all: block q of rank r becomes block r of rank q. Returns what is behind. */
static size_t exchange(struct ranks *t, size_t first, size_t values)
{
    const size_t block = values / (size_t)t->count;
    for (int r = 0; r < t->count; r++)
        for (int q = r + 1; q < t->count; q++)
            for (size_t i = 0; i < block; i++) {
                float *mine = t->rows[r] + first + (size_t)q * block + i;
                float *other = t->rows[q] + first + (size_t)r * block + i;
                const float keep = *mine;
                *mine = *other;
                *other = keep;
            }
    return first + values;
}

static void exchange_inputs(struct ranks *t)
{
    const size_t each = (size_t)BATCH * POSITIONS / (size_t)t->count;
    size_t at = exchange(t, 0, each * FEATURES);
    for (int i = 0; i < 2; i++)
        at = exchange(t, at, each * t->keys);
    CHECK_INT((long)at, (long)dts_attention_row_values(&t->part.call, BATCH));
}

static void exchange_output(struct ranks *t)
{
    exchange(t, 0, (size_t)BATCH * POSITIONS * FEATURES / (size_t)t->count);
}

static void compare(const struct ranks *t, const float *got, const void *whole, int rank,
                    size_t features)
{
    const size_t count = (size_t)BATCH * POSITIONS / (size_t)t->count * features;
    for (size_t i = 0; i < count; i++) {
        const double want = *place(whole, t->count, rank, features, i);
        if (!CHECK_NEAR((double)got[i], want, 1e-5 * (1 + fabs(want))))
            return;
    }
}

static void end(struct ranks *t)
{
    for (int r = 0; r < t->count; r++) {
        compare(t, t->runs[r].a.y, t->whole.a.y, r, FEATURES);
        for (int i = 0; i < t->part.call.input_count; i++)
            compare(t, t->runs[r].a.dx[i], t->whole.a.dx[i], r, features_of(t, i));
        CHECK(op_guard_holds(t->rows[r],
                             dts_attention_row_values(&t->part.call, BATCH) * sizeof(float)));
        free(t->rows[r]);
        op_end(&t->runs[r]);
    }
    op_end(&t->whole);
}

static void check(int count, bool one, size_t keys)
{
    struct ranks t = {.count = count, .one = one, .keys = keys};
    t.all = attention(&t, 1);
    t.part = attention(&t, count);
    begin(&t);
    run(&t, DTS_OP_LEAVE, false);
    exchange_inputs(&t);
    run(&t, DTS_OP_WORK, false);
    exchange_output(&t);
    run(&t, DTS_OP_RETURN, false);
    op_run_version(&t.whole, &t.whole.op->reference, false, NULL);
    run(&t, DTS_OP_LEAVE, true);
    exchange_output(&t);
    run(&t, DTS_OP_WORK, true);
    exchange_inputs(&t);
    run(&t, DTS_OP_RETURN, true);
    op_run_version(&t.whole, &t.whole.op->reference, true, NULL);
    end(&t);
}

/* Block r of keys, and of values, is rank r's: all get it, or the rank gets the sum of all. */
static void gather(struct ranks *t, bool sum)
{
    const size_t values = dts_attention_row_values(&t->part.call, BATCH) / 2;
    const size_t block = values / (size_t)t->count;
    for (size_t i = 0; i < 2 * values; i++) {
        const int owner = (int)(i % values / block);
        float all = sum ? 0 : t->rows[owner][i];
        for (int r = 0; r < t->count && sum; r++)
            all += t->rows[r][i];
        for (int r = 0; r < t->count; r++)
            if (!sum || r == owner)
                t->rows[r][i] = all;
    }
}

static void check_gathered(int count, bool one, size_t keys, double rate)
{
    struct ranks t = {.count = count, .one = one, .keys = keys, .rate = rate};
    t.all = gathered(&t, 1);
    t.part = gathered(&t, count);
    begin(&t);
    for (int back = 0; back < 2; back++) {
        run(&t, DTS_OP_LEAVE, back == 1);
        gather(&t, false);
        run(&t, DTS_OP_WORK, back == 1);
        op_run_version(&t.whole, &t.whole.op->reference, back == 1, NULL);
    }
    gather(&t, true);
    run(&t, DTS_OP_RETURN, true);
    end(&t);
}

/* With dropout as of one rank: by the query among all. */
static void ranks_gather_keys_and_values(void)
{
    for (int count = 2; count <= MOST; count += 2) {
        check_gathered(count, true, FEATURES, 0);
        check_gathered(count, false, FEATURES, 0.4);
        check_gathered(count, false, HEAD, 0);
    }
}

static void ranks_attend_to_the_positions_of_all(void)
{
    for (int count = 2; count <= MOST; count += 2) {
        check(count, true, FEATURES);
        check(count, false, FEATURES);
    }
    check(2, false, FEATURES / 2); // two heads share keys and values
}

/* Positions count from the first that is here. */
static void rotary_positions_go_on(void)
{
    const struct dts_operation *op = dts_operation_find("rotary");
    struct op_case all = op_alike("rotary", 1, (struct dts_dims){2, {POSITIONS, 8}}, 1);
    struct op_case part = op_alike("rotary", 1, (struct dts_dims){2, {POSITIONS / 2, 8}}, 1);
    all.call.heads = part.call.heads = 2;
    all.call.base = part.call.base = 100;
    for (int reference = 0; reference < 2; reference++) {
        struct op_run whole = op_begin(&all, op, 8),
                      mine = op_begin(&part, op, reference ? 8 : 4);
        const struct dts_op_version *version = reference ? &op->reference : &op->host;
        mine.a.first = POSITIONS / 2;
        for (size_t i = 0; i < POSITIONS * 4; i++) {
            op_set((void *)mine.a.x[0], mine.real, i,
                   op_get(whole.a.x[0], 8, POSITIONS * 4 + i));
            op_set((void *)mine.a.dy, mine.real, i, op_get(whole.a.dy, 8, POSITIONS * 4 + i));
        }
        for (int back = 0; back < 2; back++) {
            op_run_version(&whole, &op->reference, back, NULL);
            op_run_version(&mine, version, back, NULL);
        }
        for (size_t i = 0; i < POSITIONS * 4; i++) {
            CHECK_NEAR(op_get(mine.a.y, mine.real, i), op_get(whole.a.y, 8, POSITIONS * 4 + i),
                       1e-5);
            CHECK_NEAR(op_get(mine.a.dx[0], mine.real, i),
                       op_get(whole.a.dx[0], 8, POSITIONS * 4 + i), 1e-5);
        }
        op_end(&whole);
        op_end(&mine);
    }
}

TESTS(TEST(ranks_attend_to_the_positions_of_all), TEST(ranks_gather_keys_and_values),
      TEST(rotary_positions_go_on))

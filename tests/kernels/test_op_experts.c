/* test_op_experts.c -- a mixture whose experts are on several ranks gets, in parts between
 * which rows are exchanged (kernels/op.h), what one rank with all samples gets by the
 * reference.
 */
#include "kernels/moe/moe_call.h"
#include "kernels/op_shapes.h"

enum { MOST = 4, EACH = 2, EXPERTS = 4, POSITIONS = 7, FEATURES = 5, HIDDEN = 6 };

struct ranks {
    int count, params;
    struct op_case one, all; // of a rank; of one that has everything
    struct op_run runs[MOST], whole;
    float *rows[MOST];
};

static struct op_case mixture(int batch, int ranks, bool gated, double capacity, int chosen)
{
    struct op_case c = op_alike("moe", batch, (struct dts_dims){2, {POSITIONS, FEATURES}}, 1);
    c.call.experts = EXPERTS;
    c.call.chosen = chosen;
    c.call.capacity = capacity;
    c.call.normalized = gated;
    c.call.expert_ranks = ranks;
    c.call.param_count = gated ? 4 : 3;
    c.call.params[0] = EXPERTS * FEATURES;
    for (int p = 1; p < c.call.param_count; p++)
        c.call.params[p] = (size_t)(EXPERTS / (ranks > 1 ? ranks : 1)) * HIDDEN * FEATURES;
    return c;
}

/* Ranks have samples one behind the other, and their experts' part of each matrix. */
static void begin(struct ranks *t)
{
    const struct dts_operation *op = dts_operation_find("moe");
    t->whole = op_begin(&t->all, op, 8);
    for (int r = 0; r < t->count; r++) {
        struct op_run *run = &t->runs[r];
        const size_t values = op_values(&t->one, &t->one.call.output);
        *run = op_begin(&t->one, op, 4);
        t->rows[r] = op_unwritten(dts_moe_row_values(&t->one.call, EACH) * sizeof(float));
        run->a.rows = t->rows[r];
        for (size_t i = 0; i < values; i++) {
            op_set((void *)run->a.x[0], 4, i,
                   op_get(t->whole.a.x[0], 8, (size_t)r * values + i));
            op_set((void *)run->a.dy, 4, i, op_get(t->whole.a.dy, 8, (size_t)r * values + i));
        }
        for (int p = 0; p < t->params; p++)
            for (size_t i = 0; i < t->one.call.params[p]; i++) {
                const size_t at = (p > 0 ? (size_t)r * t->one.call.params[p] : 0) + i;
                op_set((void *)run->a.w[p], 4, i, op_get(t->whole.a.w[p], 8, at));
                op_set(run->a.dw[p], 4, i, 0);
            }
    }
    for (int p = 0; p < t->params; p++)
        for (size_t i = 0; i < t->all.call.params[p]; i++)
            op_set(t->whole.a.dw[p], 8, i, 0);
}

static void run(struct ranks *t, enum dts_op_part part, bool back)
{
    for (int r = 0; r < t->count; r++) {
        t->runs[r].a.part = part;
        op_run_version(&t->runs[r], &t->runs[r].op->host, back, NULL);
    }
}

/* All to all: block q of rank r becomes block r of rank q. */
static void exchange(struct ranks *t)
{
    const size_t block =
        dts_moe_row_values(&t->one.call, EACH) / (size_t)t->count * sizeof(float);
    char *room = dts_alloc(1, block);
    for (int r = 0; r < t->count; r++)
        for (int q = r + 1; q < t->count; q++) {
            char *mine = (char *)t->rows[r] + (size_t)q * block;
            char *other = (char *)t->rows[q] + (size_t)r * block;
            memcpy(room, mine, block);
            memcpy(mine, other, block);
            memcpy(other, room, block);
        }
    free(room);
}

static void pass(struct ranks *t, bool back)
{
    run(t, DTS_OP_LEAVE, back);
    exchange(t);
    run(t, DTS_OP_WORK, back);
    exchange(t);
    run(t, DTS_OP_RETURN, back);
    op_run_version(&t->whole, &t->whole.op->reference, back, NULL);
}

static void compare(const struct ranks *t)
{
    const size_t values = op_values(&t->one, &t->one.call.output);
    for (int r = 0; r < t->count; r++) {
        const struct dts_arrays *a = &t->runs[r].a;
        op_compare(a->y, (double *)t->whole.a.y + (size_t)r * values, values, 1e-5);
        op_compare(a->dx[0], (double *)t->whole.a.dx[0] + (size_t)r * values, values, 1e-5);
        for (int p = 1; p < t->params; p++)
            op_compare(a->dw[p], (double *)t->whole.a.dw[p] + (size_t)r * t->one.call.params[p],
                       t->one.call.params[p], 1e-5);
    }
    for (size_t i = 0; i < t->one.call.params[0]; i++) { // all ranks' samples are the router's
        double sum = 0;
        for (int r = 0; r < t->count; r++)
            sum += (double)((float *)t->runs[r].a.dw[0])[i];
        const double want = ((double *)t->whole.a.dw[0])[i];
        CHECK_NEAR(sum, want, 1e-5 * (1 + fabs(want)));
    }
}

static void check(int count, bool gated, double capacity, int chosen)
{
    struct ranks t = {.count = count, .params = gated ? 4 : 3};
    t.one = mixture(EACH, count, gated, capacity, chosen);
    t.all = mixture(EACH * count, 0, gated, capacity, chosen);
    begin(&t);
    pass(&t, false);
    pass(&t, true);
    compare(&t);
    for (int r = 0; r < count; r++) {
        CHECK(op_guard_holds(t.rows[r], dts_moe_row_values(&t.one.call, EACH) * sizeof(float)));
        free(t.rows[r]);
        op_end(&t.runs[r]);
    }
    op_end(&t.whole);
}

static void ranks_with_experts_get_what_one_rank_gets(void)
{
    static const double capacities[] = {0, 0.5, 1.25};
    for (int count = 2; count <= MOST; count += 2)
        for (int gated = 0; gated < 2; gated++)
            for (int c = 0; c < 3; c++)
                for (int chosen = 1; chosen <= 3; chosen++)
                    check(count, gated, capacities[c], chosen);
}

/* Experts x batch x capacity rows, whatever is asked: 0.5 x 7 x 2 / 4 positions are 2. */
static void rows_have_room_for_all_that_experts_may_take(void)
{
    struct op_case c = mixture(3, 2, true, 0.5, 2);
    CHECK_INT((long)dts_moe_row_values(&c.call, 3), EXPERTS * 3 * 2 * FEATURES);
    c.call.capacity = 0;
    CHECK_INT((long)dts_moe_row_values(&c.call, 3), EXPERTS * 3 * POSITIONS * FEATURES);
    c.call.expert_ranks = 0;
    CHECK_INT((long)dts_moe_row_values(&c.call, 3), 0);
}

TESTS(TEST(ranks_with_experts_get_what_one_rank_gets),
      TEST(rows_have_room_for_all_that_experts_may_take))

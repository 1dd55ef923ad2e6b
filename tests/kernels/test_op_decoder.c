/* test_op_decoder.c -- what today's language models add: rotary positions, mixtures of experts.
 */
#include "kernels/op_shapes.h"

static void check_rotary(int batch, size_t positions, int heads, size_t head, double base)
{
    struct op_case c = op_alike(
        "rotary", batch, (struct dts_dims){2, {positions, (size_t)heads * head, 1, 1}}, 1);
    c.call.heads = heads;
    c.call.base = base;
    check_op(&c);
}

static void rotary_positions(void)
{
    check_rotary(2, 7, 3, 6, 10000);
    check_rotary(3, 1, 1, 2, 10000); // nothing turns at the first position
    check_rotary(1, 300, 2, 34, 500000);
}

/* Scores of turned queries and keys depend on how far apart they are, not on where. */
static void rotary_scores_depend_on_the_distance_alone(void)
{
    enum { POSITIONS = 600, HEAD = 16, APART = 11 };
    const struct dts_dims dims = {2, {POSITIONS, HEAD, 1, 1}};
    struct op_case c = op_alike("rotary", 1, dims, 1);
    const struct dts_operation *op = dts_operation_find("rotary");
    c.call.heads = 1;
    c.call.base = 10000;
    struct op_run query = op_begin(&c, op, 4), key = op_begin(&c, op, 4);
    for (size_t i = HEAD; i < POSITIONS * HEAD; i++) { // the same vectors everywhere
        ((float *)query.a.x[0])[i] = ((float *)query.a.x[0])[i % HEAD];
        ((float *)key.a.x[0])[i] = ((float *)key.a.x[0])[i % HEAD + 3 - (i % HEAD) / 13];
    }
    op_run_version(&query, &op->host, false, NULL);
    op_run_version(&key, &op->host, false, NULL);
    double first = 0;
    for (size_t p = 1; p + APART < POSITIONS; p++) {
        double score = 0;
        for (size_t i = 0; i < HEAD; i++)
            score += (double)((float *)query.a.y)[p * HEAD + i] *
                     (double)((float *)key.a.y)[(p + APART) * HEAD + i];
        first = p == 1 ? score : first;
        CHECK_NEAR(score, first, 1e-5 * (1 + fabs(first)));
    }
    op_end(&query);
    op_end(&key);
}

struct moe_shape {
    size_t positions, features, hidden;
    int experts, chosen;
};

static struct op_case moe_case(int batch, const struct moe_shape *s, bool gated)
{
    struct op_case c =
        op_alike("moe", batch, (struct dts_dims){2, {s->positions, s->features, 1, 1}}, 1);
    const size_t each = (size_t)s->experts * s->hidden * s->features;
    c.call.experts = s->experts;
    c.call.chosen = s->chosen;
    c.call.param_count = gated ? 4 : 3;
    c.call.params[0] = (size_t)s->experts * s->features;
    for (int p = 1; p < c.call.param_count; p++)
        c.call.params[p] = each;
    c.sums = 4 * (double)(s->features * s->hidden * s->positions * (size_t)batch);
    return c;
}

static void experts(void)
{
    static const struct moe_shape shapes[] = {
        {9, 5, 7, 4, 2}, {6, 3, 4, 3, 1}, {5, 8, 3, 6, 6}, {1, 2, 1, 1, 1}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        for (int way = 0; way < 8; way++) {
            struct op_case c = moe_case(3, &shapes[i], way & 1);
            c.call.normalized = way & 2;
            c.call.capacity = way & 4 ? 0.6 : 0;
            check_op(&c);
        }
}

/* With one expert a mixture is its network; with room for none of them nothing comes out. */
static void an_expert_takes_no_more_than_its_capacity(void)
{
    const struct moe_shape shape = {40, 4, 3, 4, 2};
    const struct dts_operation *op = dts_operation_find("moe");
    struct op_case c = moe_case(2, &shape, true);
    c.call.capacity = 0.5;
    CHECK_INT(dts_op_capacity(&c.call, shape.positions), 10);
    struct op_run r = op_begin(&c, op, 4);
    op_run_version(&r, &op->host, false, NULL);
    const float *choices = (const float *)r.a.saved + 2 * shape.positions * 4;
    for (size_t sample = 0; sample < 2; sample++)
        for (int e = 0; e < shape.experts; e++) {
            int asked = 0, taken = 0;
            for (size_t i = 0; i < shape.positions * 2; i++) {
                const float choice = choices[sample * shape.positions * 2 + i];
                asked += choice == (float)e || choice == (float)(-1 - e);
                taken += choice == (float)e;
                CHECK(choice != (float)(-1 - e) || taken == 10); // the first ones are taken
            }
            CHECK_INT(taken, asked < 10 ? asked : 10);
        }
    op_end(&r);
}

TESTS(TEST(rotary_positions), TEST(rotary_scores_depend_on_the_distance_alone), TEST(experts),
      TEST(an_expert_takes_no_more_than_its_capacity))

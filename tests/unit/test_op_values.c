/* test_op_values.c -- operations value by value: activations, sums, products. */
#include "op_shapes.h"

static const struct dts_dims shapes[] = {
    {1, {1, 1, 1, 1}}, {1, {37, 1, 1, 1}}, {3, {3, 5, 7, 1}}, {2, {9, 65, 1, 1}}};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static void check_alike(const char *op, int inputs, bool relu)
{
    for (int i = 0; i < SHAPES; i++) {
        struct op_case c = op_alike(op, 3, shapes[i], inputs);
        c.call.relu = relu;
        c.sums = inputs;
        check_op(&c);
    }
}

static void functions_of_one_value(void)
{
    check_alike("relu", 1, false);
}

static void sums_of_inputs(void)
{
    check_alike("add", 2, false);
    check_alike("add", 2, true);
    check_alike("add", 5, false);
    check_alike("add", 3, true);
}

/* With y in x[0] and dx[0] in dy the same comes out. */
static void check_in_place(const char *name, int inputs, bool relu)
{
    struct op_case c = op_alike(name, 2, (struct dts_dims){2, {7, 33, 1, 1}}, inputs);
    c.call.relu = relu;
    const struct dts_op *op = dts_op_find(name);
    CHECK(op->in_place);
    const size_t n = op_values(&c, &c.call.output);
    struct op_run want = op_begin(&c, op, 4), got = op_begin(&c, op, 4);
    op_run_version(&want, &op->host, false, NULL);
    op_run_version(&want, &op->host, true, NULL);
    void *y = got.a.y, *dx = got.a.dx[0];
    got.a.y = (void *)got.a.x[0];
    got.a.dx[0] = (void *)got.a.dy;
    op_run_version(&got, &op->host, false, NULL);
    op_run_version(&got, &op->host, true, NULL);
    CHECK(memcmp(got.a.y, want.a.y, n * 4) == 0);
    for (int i = 0; i < inputs; i++)
        CHECK(memcmp(got.a.dx[i], want.a.dx[i], n * 4) == 0);
    got.a.y = y;
    got.a.dx[0] = dx;
    op_end(&want);
    op_end(&got);
}

static void some_work_in_place(void)
{
    check_in_place("relu", 1, false);
    check_in_place("add", 2, false);
    check_in_place("add", 3, true);
}

TESTS(TEST(functions_of_one_value), TEST(sums_of_inputs), TEST(some_work_in_place))

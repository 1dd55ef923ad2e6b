/* test_op_loss.c -- losses on odd shapes. */
#include "kernels/op_check.h"

static struct op_case loss(const char *name, int batch, struct dts_dims input)
{
    struct op_case c = {.batch = batch};
    c.call = (struct dts_op_call){.op = name, .input_count = 1};
    c.call.inputs[0] = input;
    c.call.output = (struct dts_dims){1, {1, 1, 1, 1}};
    c.sums = (double)dts_dims_elements(&input);
    return c;
}

static struct op_case classes(int batch, struct dts_dims input, int least, int ignored)
{
    struct op_case c = loss("softmax_cross_entropy", batch, input);
    c.targets = dts_dims_positions(&input);
    c.most_target = (int)dts_dims_features(&input);
    c.least_target = least;
    c.call.ignored = ignored;
    return c;
}

static void check_classes(int batch, struct dts_dims input, int least, int ignored)
{
    const struct op_case c = classes(batch, input, least, ignored);
    check_op(&c);
}

static void cross_entropy(void)
{
    check_classes(3, (struct dts_dims){1, {10, 1, 1, 1}}, 0, 0);
    check_classes(1, (struct dts_dims){1, {2, 1, 1, 1}}, 0, 0);
    check_classes(5, (struct dts_dims){1, {37, 1, 1, 1}}, 0, 0);
    check_classes(2, (struct dts_dims){2, {7, 19, 1, 1}}, 0, 0);
    check_classes(2, (struct dts_dims){3, {3, 5, 6, 1}}, 0, 0);
}

static void classes_that_do_not_count(void)
{
    check_classes(3, (struct dts_dims){2, {5, 4, 1, 1}}, -1, 0);
    check_classes(3, (struct dts_dims){2, {5, 4, 1, 1}}, 0, 2);
    check_classes(2, (struct dts_dims){2, {6, 3, 1, 1}}, -2, 1);
    check_classes(6, (struct dts_dims){1, {2, 1, 1, 1}}, 0, 1); // some samples have none
}

/* By hand: x = (0, log 3), the second is right: -log 3/4. Large values do not overflow. */
static void cross_entropy_of_known_numbers(void)
{
    struct op_case c = loss("softmax_cross_entropy", 2, (struct dts_dims){1, {2, 1, 1, 1}});
    const struct dts_operation *op = dts_operation_find(c.call.op);
    float x[4] = {0, logf(3), 1000, -1000}, y[2], l[2], dx[4];
    int32_t target[2] = {1, 1};
    const struct dts_arrays a = {
        .batch = 2, .x = {x}, .y = y, .target = target, .saved = l, .dx = {dx}};
    const struct dts_place place = {0};
    op->host.forward(&c.call, &a, &place);
    CHECK_CLOSE(y[0], -log(0.75), 1e-6);
    CHECK_CLOSE(y[1], 2000.0, 1e-6);
    op->host.backward(&c.call, &a, &place);
    CHECK_CLOSE(dx[0], 0.25 / 2, 1e-6);
    CHECK_CLOSE(dx[1], -0.25 / 2, 1e-6);
    CHECK_CLOSE(dx[2], 0.5, 1e-6);
    CHECK_CLOSE(dx[3], -0.5, 1e-6);
}

/* A score that overflowed, or is not a number, is seen in the loss and in all gradients of its
 * row, as training in fp16 needs, and in no other row. A score of minus infinity is no fault.
 */
static void what_is_not_finite_is_seen(void)
{
    enum { CLASSES = 37 };
    struct op_case c =
        loss("softmax_cross_entropy", 2, (struct dts_dims){1, {CLASSES, 1, 1, 1}});
    const struct dts_operation *op = dts_operation_find(c.call.op);
    const float bad[] = {INFINITY, NAN, -NAN};
    for (int i = 0; i < 4; i++)
        for (int at = 0; at < CLASSES; at += 9) {
            float x[2 * CLASSES] = {0}, y[2], l[2], dx[2 * CLASSES];
            int32_t target[2] = {5, 5};
            const struct dts_arrays a = {
                .batch = 2, .x = {x}, .y = y, .target = target, .saved = l, .dx = {dx}};
            x[CLASSES + at] = i < 3 ? bad[i] : -INFINITY;
            op->host.forward(&c.call, &a, &(struct dts_place){0});
            op->host.backward(&c.call, &a, &(struct dts_place){0});
            CHECK(isfinite(y[0]) && isfinite(y[1]) == (i == 3));
            for (int k = 0; k < CLASSES; k++)
                CHECK(isfinite(dx[k]) && isfinite(dx[CLASSES + k]) == (i == 3));
        }
}

static void mean_squared_error(void)
{
    struct op_case c = loss("mean_squared_error", 3, (struct dts_dims){2, {5, 7, 1, 1}});
    c.targets = 35;
    check_op(&c);
    c = loss("mean_squared_error", 1, (struct dts_dims){1, {1, 1, 1, 1}});
    c.targets = 1;
    check_op(&c);
}

/* Of the same numbers: the loss and its gradient are so many times as large. */
static void check_weight(struct op_case c, double weight)
{
    const struct dts_operation *op = dts_operation_find(c.call.op);
    const struct op_case plain = c;
    c.call.weight = weight;
    check_op(&c);
    struct op_run got = op_begin(&c, op, 4), want = op_begin(&plain, op, 4);
    for (int backward = 0; backward < 2; backward++) {
        op_run_version(&got, &op->host, backward, NULL);
        op_run_version(&want, &op->host, backward, NULL);
    }
    for (int i = 0; i < c.batch; i++)
        CHECK_CLOSE(op_get(got.a.y, 4, (size_t)i), weight * op_get(want.a.y, 4, (size_t)i),
                    1e-6);
    for (size_t i = 0; i < op_values(&c, &c.call.inputs[0]); i++)
        CHECK_NEAR(op_get(got.a.dx[0], 4, i), weight * op_get(want.a.dx[0], 4, i), 1e-6);
    op_end(&got);
    op_end(&want);
}

static void a_weight_multiplies_a_loss_and_its_gradient(void)
{
    check_weight(classes(3, (struct dts_dims){1, {10, 1, 1, 1}}, 0, 0), 0.4);
    check_weight(classes(2, (struct dts_dims){2, {6, 3, 1, 1}}, -2, 1), 3);
    struct op_case c = loss("mean_squared_error", 3, (struct dts_dims){2, {5, 7, 1, 1}});
    c.targets = 35;
    check_weight(c, 0.3);
}

TESTS(TEST(cross_entropy), TEST(classes_that_do_not_count),
      TEST(cross_entropy_of_known_numbers), TEST(what_is_not_finite_is_seen),
      TEST(mean_squared_error), TEST(a_weight_multiplies_a_loss_and_its_gradient))

/* test_op_values.c -- operations value by value: activations, sums, products. */
#include "kernels/op_shapes.h"
#include "kernels/vector/vector_math.h"

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
    check_alike("gelu", 1, false);
    check_alike("silu", 1, false);
    check_alike("sigmoid", 1, false);
    check_alike("tanh", 1, false);
    check_alike("relu6", 1, false);
    check_alike("hardsigmoid", 1, false);
    check_alike("hardswish", 1, false);
    struct op_case c = op_alike("leaky_relu", 3, shapes[2], 1);
    c.call.slope = 0.3;
    check_op(&c);
}

/* In units of the last place of what is right. */
static double error_of(float got, double want)
{
    const double unit = ldexp(1, ilogb(want) - 23);
    return fabs(got - want) / unit;
}

static void exp_and_tanh_are_as_exact_as_they_say(void)
{
    double exponential = 0, power = 0, sigmoid = 0, hyperbolic = 0;
    for (int i = -400000; i <= 400000; i++) {
        const float x = (float)i * (87.0f / 400000), small = x * x * x / (87 * 87);
        const float z = x * (125.0f / 87);
        exponential = fmax(exponential, error_of(dts_exp(x), exp(x)));
        power = fmax(power, error_of(dts_exp2(z), exp2(z)));
        sigmoid = fmax(sigmoid, error_of(dts_sigmoid(x), 1 / (1 + exp(-x))));
        hyperbolic = i == 0 ? hyperbolic
                            : fmax(hyperbolic, fmax(error_of(dts_tanh(x), tanh(x)),
                                                    error_of(dts_tanh(small), tanh(small))));
    }
    CHECK(exponential <= 2);
    CHECK(power <= 1.5);
    CHECK(sigmoid <= 3);
    CHECK(hyperbolic <= 3);
    if (check_failures > 0)
        printf("  %g %g %g %g\n", exponential, power, sigmoid, hyperbolic);
}

/* By hand, on both sides of each corner, and at it: there PyTorch's slope is the outer one. */
static void straight_lines_end_where_they_should(void)
{
    static const struct {
        const char *op;
        double x, y, slope;
    } points[] = {
        {"relu6", -1, 0, 0},
        {"relu6", 0, 0, 0},
        {"relu6", 2.5, 2.5, 1},
        {"relu6", 5.875, 5.875, 1},
        {"relu6", 6, 6, 0},
        {"relu6", 70, 6, 0},
        {"hardsigmoid", -5, 0, 0},
        {"hardsigmoid", -3, 0, 0},
        {"hardsigmoid", 0, 0.5, 1 / 6.0},
        {"hardsigmoid", 1.5, 0.75, 1 / 6.0},
        {"hardsigmoid", 3, 1, 0},
        {"hardsigmoid", 9, 1, 0},
        {"hardswish", -4, 0, 0},
        {"hardswish", -1.5, -0.375, 0},
        {"hardswish", 0, 0, 0.5},
        {"hardswish", 1.5, 1.125, 1},
        {"hardswish", 2.25, 1.96875, 1.25},
        {"hardswish", 4, 4, 1},
    };
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        const struct op_case c = op_alike(points[i].op, 1, shapes[0], 1);
        const struct dts_operation *op = dts_operation_find(points[i].op);
        for (size_t real = 4; real <= 8; real += 4) {
            const struct dts_op_version *version = real == 4 ? &op->host : &op->reference;
            struct op_run r = op_begin(&c, op, real);
            op_set((void *)r.a.x[0], real, 0, points[i].x);
            op_set((void *)r.a.dy, real, 0, 1);
            op_run_version(&r, version, false, NULL);
            op_run_version(&r, version, true, NULL);
            CHECK_NEAR(op_get(r.a.y, real, 0), points[i].y, 1e-6);
            CHECK_NEAR(op_get(r.a.dx[0], real, 0), points[i].slope, 1e-6);
            op_end(&r);
        }
    }
}

/* Where x is large, the exponent is held, and what it is made of may not fit a float. */
static void gelu_is_right_far_from_zero(void)
{
    static const float far[] = {3, 6, 9, 10, 11, 30, 1e3f, 1e9f, 1e18f};
    enum { FAR = sizeof(far) / sizeof(far[0]) };
    const struct dts_operation *op = dts_operation_find("gelu");
    const struct op_case c = op_alike("gelu", 1, (struct dts_dims){1, {2 * FAR, 1, 1, 1}}, 1);
    struct op_run r = op_begin(&c, op, sizeof(float));
    struct op_run exact = op_begin(&c, op, sizeof(double));
    for (size_t i = 0; i < 2 * FAR; i++) {
        const double x = i < FAR ? far[i] : -far[i - FAR];
        op_set((void *)r.a.x[0], sizeof(float), i, x);
        op_set((void *)exact.a.x[0], sizeof(double), i, x);
        op_set((void *)r.a.dy, sizeof(float), i, 1);
        op_set((void *)exact.a.dy, sizeof(double), i, 1);
    }
    for (int backward = 0; backward <= 1; backward++) {
        op_run_version(&r, &op->host, backward, NULL);
        op_run_version(&exact, &op->reference, backward, NULL);
    }
    for (size_t i = 0; i < 2 * FAR; i++) {
        const double y = op_get(exact.a.y, sizeof(double), i);
        const double dx = op_get(exact.a.dx[0], sizeof(double), i);
        CHECK_NEAR(op_get(r.a.y, sizeof(float), i), y, 1e-6 * fabs(y) + 1e-15);
        CHECK_NEAR(op_get(r.a.dx[0], sizeof(float), i), dx, 1e-6);
    }
    op_end(&r);
    op_end(&exact);
}

static void beyond_the_range_nothing_breaks(void)
{
    CHECK_CLOSE(dts_exp(1e30f), exp(87), 1e-6);
    CHECK_CLOSE(dts_exp(-INFINITY), exp(-87), 1e-6);
    CHECK(dts_sigmoid(-1e30f) < 1e-37 && dts_sigmoid(1e30f) == 1);
    CHECK(dts_tanh(-INFINITY) == -1 && dts_tanh(INFINITY) == 1 && dts_tanh(0) == 0);
    CHECK(isnan(dts_sigmoid(NAN)) && isnan(dts_tanh(NAN)));
    CHECK(isfinite(dts_exp(NAN))); // its users see to that
}

/* As training in fp16 needs, which leaves out a step that overflowed. */
static void what_is_no_number_stays_so(void)
{
    enum { COUNT = 133, AT = 77 };
    static const char *const names[] = {"relu",      "leaky_relu", "gelu",  "silu",
                                        "sigmoid",   "tanh",       "relu6", "hardsigmoid",
                                        "hardswish", "add"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct dts_dims dims = {1, {COUNT, 1, 1, 1}};
        struct op_case c = op_alike(names[i], 1, dims, strcmp(names[i], "add") == 0 ? 2 : 1);
        const struct dts_operation *op = dts_operation_find(names[i]);
        c.call.relu = c.call.input_count > 1;
        for (size_t real = 4; real <= 8; real += 4) {
            struct op_run r = op_begin(&c, op, real);
            const struct dts_op_version *version = real == 4 ? &op->host : &op->reference;
            op_set((void *)r.a.x[0], real, AT, NAN);
            op_run_version(&r, version, false, NULL);
            for (size_t k = AT - 1; k <= AT + 1; k++)
                CHECK(isnan(op_get(r.a.y, real, k)) == (k == AT));
            op_end(&r);
        }
    }
}

static void sums_of_inputs(void)
{
    check_alike("add", 2, false);
    check_alike("add", 2, true);
    check_alike("add", 5, false);
    check_alike("add", 3, true);
}

static void products_of_inputs(void)
{
    check_alike("multiply", 2, false);
    struct op_case c = op_alike("multiply", 2, (struct dts_dims){3, {5, 7, 9, 1}}, 2);
    c.call.inputs[1] = (struct dts_dims){1, {5, 1, 1, 1}}; // a factor for each channel
    c.sums = 63;
    check_op(&c);
}

static void check_factors(struct dts_dims dims, bool last)
{
    struct op_case c = op_alike("layer_scale", 3, dims, 1);
    c.call.last = last;
    c.call.param_count = 1;
    c.call.params[0] = last ? dts_dims_features(&dims) : dims.size[0];
    c.sums = 3 * (double)dts_dims_elements(&dims) / (double)c.call.params[0];
    check_op(&c);
}

static void learned_factors(void)
{
    for (int i = 0; i < SHAPES; i++) {
        check_factors(shapes[i], false);
        check_factors(shapes[i], true);
    }
    check_factors((struct dts_dims){3, {130, 9, 5, 1}}, false);
}

static void dropout_keeps_its_contract(void)
{
    for (int i = 0; i < SHAPES; i++) {
        struct op_case c = op_alike("dropout", 3, shapes[i], 1);
        c.call.rate = 0.3;
        check_op(&c);
    }
    struct op_case c = op_alike("dropout", 2, (struct dts_dims){2, {3, 600, 1, 1}}, 1);
    c.call.rate = 0.9; // several pieces a sample
    check_op(&c);
}

static void stochastic_depth_keeps_its_contract(void)
{
    for (int i = 0; i < SHAPES; i++) {
        struct op_case c = op_alike("stochastic_depth", 5, shapes[i], 1);
        c.call.rate = 0.4;
        check_op(&c);
    }
}

/* Of 5000 samples, those of a half by itself, too; and none but in training. */
static void stochastic_depth_drops_whole_samples(void)
{
    enum { SAMPLES = 5000, VALUES = 7 };
    const struct dts_operation *op = dts_operation_find("stochastic_depth");
    struct op_case c =
        op_alike("stochastic_depth", SAMPLES, (struct dts_dims){1, {VALUES, 1, 1, 1}}, 1);
    struct op_case half = c;
    struct dts_workers *workers = dts_workers_new(3);
    half.batch = SAMPLES / 2;
    half.call.rate = c.call.rate = 0.25;
    struct op_run r = op_begin(&c, op, 4), second = op_begin(&half, op, 4);
    op_run_version(&r, &op->host, false, workers);
    second.a.first_sample = SAMPLES / 2;
    op_run_version(&second, &op->host, false, NULL);
    CHECK(memcmp((const char *)r.a.saved + SAMPLES / 2, second.a.saved, SAMPLES / 2) == 0);
    int dropped = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const bool keep = ((const uint8_t *)r.a.saved)[i] != 0;
        dropped += !keep;
        for (size_t k = i * VALUES; k < (i + 1) * VALUES; k++)
            CHECK_NEAR(op_get(r.a.y, 4, k), keep ? op_get(r.a.x[0], 4, k) / 0.75 : 0, 1e-6);
    }
    // 4 standard deviations of a mean of 5000
    CHECK_NEAR((double)dropped / SAMPLES, 0.25, 4 * sqrt(0.25 * 0.75 / SAMPLES));
    r.a.training = false;
    op_run_version(&r, &op->host, false, workers);
    CHECK(memcmp(r.a.y, r.a.x[0], SAMPLES * VALUES * sizeof(float)) == 0);
    op_end(&r);
    op_end(&second);
    dts_workers_free(workers);
}

/* What is kept of samples `first` and on, with one worker or more; the caller frees. */
static uint8_t *kept(const struct op_case *c, uint64_t first, uint64_t step, int threads)
{
    const struct dts_operation *op = dts_operation_find("dropout");
    struct dts_workers *workers = dts_workers_new(threads);
    struct op_run r = op_begin(c, op, 4);
    r.a.first_sample = first;
    r.a.step = step;
    op_run_version(&r, &op->host, false, workers);
    uint8_t *result = dts_alloc(r.saved, 1);
    memcpy(result, r.a.saved, r.saved);
    op_end(&r);
    dts_workers_free(workers);
    return result;
}

static void a_sample_is_masked_alike_wherever_it_is(void)
{
    const size_t n = 1000;
    struct op_case all = op_alike("dropout", 4, (struct dts_dims){1, {n, 1, 1, 1}}, 1);
    all.call.rate = 0.5;
    struct op_case half = all;
    half.batch = 2;
    uint8_t *whole = kept(&all, 6, 1, 1), *shared = kept(&all, 6, 1, 3);
    uint8_t *first = kept(&half, 6, 1, 1), *second = kept(&half, 8, 1, 2);
    uint8_t *later = kept(&half, 6, 2, 1);
    CHECK(memcmp(whole, shared, 4 * n) == 0);
    CHECK(memcmp(whole, first, 2 * n) == 0);
    CHECK(memcmp(whole + 2 * n, second, 2 * n) == 0);
    CHECK(memcmp(first, second, 2 * n) != 0); // samples differ, and steps
    CHECK(memcmp(first, later, 2 * n) != 0);
    free(whole), free(shared), free(first), free(second), free(later);
}

/* What a version keeps of a part of the samples. */
static void keep_part(const struct op_case *c, const struct dts_op_places *places, bool host,
                      uint8_t *keep)
{
    const struct dts_operation *op = dts_operation_find("dropout");
    struct dts_workers *workers = dts_workers_new(3);
    struct op_run r = op_begin(c, op, host ? 4 : 8);
    r.a.places = *places;
    op_run_version(&r, host ? &op->host : &op->reference, false, workers);
    memcpy(keep, r.a.saved, r.saved);
    op_end(&r);
    dts_workers_free(workers);
}

/* Positions from 3 on of 6, and the second third of 240 features: pieces of 512 are cut. */
static void a_part_is_masked_as_in_the_whole(void)
{
    enum { P = 6, F = 240, N = P * F, BATCH = 2 };
    static const struct dts_op_places places[] = {
        {N / 2, N / 2, N / 2}, {F / 3, F / 3, F}, {N / 2 + F / 3, F / 3, F}};
    static const size_t sizes[][2] = {{P / 2, F}, {P, F / 3}, {P / 2, F / 3}};
    struct op_case whole = op_alike("dropout", BATCH, (struct dts_dims){2, {P, F, 1, 1}}, 1);
    whole.call.rate = 0.5;
    uint8_t all[BATCH * N], part[BATCH * N];
    keep_part(&whole, &(struct dts_op_places){0}, true, all);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const struct dts_dims dims = {2, {sizes[i][0], sizes[i][1], 1, 1}};
        struct op_case c = op_alike("dropout", BATCH, dims, 1);
        c.call.rate = 0.5;
        const size_t n = sizes[i][0] * sizes[i][1];
        for (int host = 0; host < 2; host++) {
            int other = 0;
            keep_part(&c, &places[i], host == 1, part);
            for (size_t k = 0; k < BATCH * n; k++)
                other += part[k] != all[k / n * N + dts_op_place(&places[i], k % n)];
            CHECK_INT(other, 0);
        }
    }
}

static void dropout_zeroes_its_share(void)
{
    struct op_case c = op_alike("dropout", 10, (struct dts_dims){1, {10000, 1, 1, 1}}, 1);
    for (int i = 1; i <= 9; i++) {
        c.call.rate = i / 10.0;
        uint8_t *keep = kept(&c, 0, 0, 1);
        double share = 0;
        for (int k = 0; k < 100000; k++)
            share += keep[k] / 1e5;
        // 4 standard deviations of a mean of 1e5
        CHECK_NEAR(share, 1 - c.call.rate, 4 * sqrt(c.call.rate * (1 - c.call.rate) / 1e5));
        free(keep);
    }
}

static void dropout_does_nothing_but_in_training(void)
{
    const struct dts_operation *op = dts_operation_find("dropout");
    struct op_case c = op_alike("dropout", 3, (struct dts_dims){1, {50, 1, 1, 1}}, 1);
    c.call.rate = 0.5;
    for (size_t real = 4; real <= 8; real += 4) {
        struct op_run r = op_begin(&c, op, real);
        r.a.training = false;
        op_run_version(&r, real == 4 ? &op->host : &op->reference, false, NULL);
        CHECK(memcmp(r.a.y, r.a.x[0], 150 * real) == 0);
        op_end(&r);
    }
}

/* With y in x[0] and dx[0] in dy the same comes out. */
static void check_in_place(const char *name, int inputs, bool relu, size_t count)
{
    struct op_case c = op_alike(name, 2, (struct dts_dims){1, {count, 1, 1, 1}}, inputs);
    c.call.relu = relu;
    c.call.rate = 0.5; // of dropout
    const struct dts_operation *op = dts_operation_find(name);
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

enum { FEW = 231, LARGE = 2100005 }; // two of LARGE are more than caches keep

static void some_work_in_place(void)
{
    check_in_place("relu", 1, false, FEW);
    check_in_place("relu6", 1, false, FEW);
    check_in_place("sigmoid", 1, false, FEW);
    check_in_place("tanh", 1, false, LARGE);
    check_in_place("dropout", 1, false, FEW);
    check_in_place("stochastic_depth", 1, false, FEW);
    check_in_place("dropout", 1, false, LARGE);
    check_in_place("add", 2, false, FEW);
    check_in_place("add", 3, true, FEW);
    check_in_place("add", 2, false, LARGE);
    check_in_place("add", 3, true, LARGE);
}

/* Workers' shares begin within lines. */
static void check_large_case(const char *name, int inputs, bool relu)
{
    struct op_case c = op_alike(name, 2, (struct dts_dims){1, {LARGE, 1, 1, 1}}, inputs);
    c.call.relu = relu;
    c.call.rate = 0.5; // of dropout
    op_check_host(&c, dts_operation_find(name), 3);
}

static void large_gradients_are_right(void)
{
    check_large_case("relu", 1, false);
    check_large_case("gelu", 1, false);
    check_large_case("dropout", 1, false);
    check_large_case("multiply", 2, false);
    check_large_case("add", 2, false);
    check_large_case("add", 3, true);
}

/* What is too large for caches goes past them, by whole lines: the same values, to the last
 * bit, as of pieces that are small, and none beside them. */
static void check_large(const char *name, size_t count, size_t shift)
{
    enum { PIECE = 1 << 16 };
    const struct dts_operation *op = dts_operation_find(name);
    const struct dts_dims all = {1, {count, 1, 1, 1}};
    struct op_case c = op_alike(name, 1, all, 1);
    float *x = op_guarded(count * sizeof(*x)), piece[PIECE];
    float *room = op_guarded((count + shift) * sizeof(*room)), *y = room + shift;
    struct dts_workers *workers = dts_workers_new(3);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)((double)dts_random(3, 0, i) / 0x1p61 - 4);
    op->host.forward(&c.call, &(struct dts_arrays){.batch = 1, .x = {x}, .y = y},
                     &(struct dts_place){workers});
    size_t wrong = 0;
    for (size_t first = 0; first < count; first += PIECE) {
        const size_t left = count - first, some = left < PIECE ? left : PIECE;
        struct op_case small = op_alike(name, 1, (struct dts_dims){1, {some, 1, 1, 1}}, 1);
        op->host.forward(&small.call,
                         &(struct dts_arrays){.batch = 1, .x = {x + first}, .y = piece},
                         &(struct dts_place){NULL});
        wrong += memcmp(piece, y + first, some * sizeof(*y)) != 0;
    }
    CHECK_INT(wrong, 0);
    CHECK(op_guard_holds(room, (count + shift) * sizeof(*room)));
    dts_workers_free(workers);
    free(x);
    free(room);
}

static void large_results_are_the_same(void)
{
    check_large("gelu", 5000011, 0);
    check_large("relu", 5000011, 0);
    check_large("relu", 5000011, 3); // does not begin where a line does
}

static void large_dropout_is_what_its_mask_says(void)
{
    enum { SAMPLES = 3, VALUES = 2000016 }; // whole lines, and a piece that is not full
    const size_t count = (size_t)SAMPLES * VALUES, bytes = count * sizeof(float);
    struct op_case c = op_alike("dropout", SAMPLES, (struct dts_dims){1, {VALUES, 1, 1, 1}}, 1);
    c.call.rate = 0.5;
    float *x = op_guarded(bytes), *y = op_guarded(bytes);
    uint8_t *saved = op_guarded(count);
    struct dts_workers *workers = dts_workers_new(3);
    for (size_t i = 0; i < count; i++)
        x[i] = 1 + (float)(i % 1021);
    const struct dts_arrays a = {
        .batch = SAMPLES, .x = {x}, .y = y, .saved = saved, .training = true, .seed = 7};
    dts_operation_find("dropout")->host.forward(&c.call, &a, &(struct dts_place){workers});
    size_t wrong = 0, zeros = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += y[i] != (saved[i] == 1 ? 2 * x[i] : 0);
        zeros += saved[i] == 0;
    }
    CHECK_INT(wrong, 0);
    CHECK_CLOSE((double)zeros / (double)count, 0.5, 0.01);
    CHECK(op_guard_holds(y, bytes) && op_guard_holds(saved, count));
    dts_workers_free(workers);
    free(x), free(y), free(saved);
}

TESTS(TEST(functions_of_one_value), TEST(straight_lines_end_where_they_should),
      TEST(large_results_are_the_same), TEST(large_dropout_is_what_its_mask_says),
      TEST(exp_and_tanh_are_as_exact_as_they_say), TEST(beyond_the_range_nothing_breaks),
      TEST(gelu_is_right_far_from_zero), TEST(what_is_no_number_stays_so), TEST(sums_of_inputs),
      TEST(products_of_inputs), TEST(learned_factors), TEST(dropout_keeps_its_contract),
      TEST(stochastic_depth_keeps_its_contract), TEST(stochastic_depth_drops_whole_samples),
      TEST(a_sample_is_masked_alike_wherever_it_is), TEST(a_part_is_masked_as_in_the_whole),
      TEST(dropout_zeroes_its_share), TEST(dropout_does_nothing_but_in_training),
      TEST(some_work_in_place), TEST(large_gradients_are_right))

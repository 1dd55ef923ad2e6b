/* test_seconds_profile.c -- a network's seconds from a profile: calls, and sums of gradients.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "train/model/seconds/seconds_profile.h"

/* The output of a is taken by b, by c, and by their sum: two of three gradients are added. */
static const char forked[] =
    "{\"name\": \"forked\", \"sample\": \"vector\", \"input\": [6], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"name\": \"b\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"name\": \"c\", \"kind\": \"linear\", \"input\": \"a\", \"outputs\": 5},"
    "{\"name\": \"d\", \"kind\": \"add\", \"input\": [\"a\", \"b\", \"c\"]},"
    "{\"name\": \"loss\", \"kind\": \"mean_squared_error\"}]}";

enum { A, B, C, D, LOSS, LAYERS };

static bool load(struct dts_model *model, const char *text)
{
    struct dts_error err = {0};
    const bool good = dts_model_parse(model, "made", text, &err);
    return CHECK_STRING(err.text, "") && good;
}

static void the_last_taker_writes_a_gradient_and_the_others_are_added(void)
{
    struct dts_model model;
    struct dts_layer_call calls[LAYERS];
    if (!load(&model, forked))
        return;
    dts_model_calls(&model, true, calls);
    CHECK(!calls[A].wants[0]); // nobody learns from the input
    CHECK(calls[D].wants[0] && calls[D].wants[1] && calls[D].wants[2]);
    CHECK(!calls[D].adds[0] && !calls[D].adds[1] && !calls[D].adds[2]);
    CHECK(calls[C].wants[0] && calls[C].adds[0]);
    CHECK(calls[B].wants[0] && calls[B].adds[0]);
    CHECK(calls[LOSS].wants[0] && !calls[LOSS].adds[0]);
    calls[C].learns = false;
    dts_calls_gradients(&model, calls);
    CHECK(!calls[C].wants[0] && !calls[C].adds[0]);
    CHECK(calls[B].adds[0]);
    dts_model_free(&model);
}

/* Of work beside the layers' calls: values that are worth a measurement. */
static const char wide[] =
    "{\"name\": \"wide\", \"sample\": \"vector\", \"input\": [200], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 10000},"
    "{\"name\": \"b\", \"kind\": \"dropout\", \"rate\": 0.5},"
    "{\"name\": \"c\", \"kind\": \"dropout\", \"input\": \"a\", \"rate\": 0.4},"
    "{\"name\": \"d\", \"kind\": \"add\", \"input\": [\"b\", \"c\"]},"
    "{\"name\": \"loss\", \"kind\": \"mean_squared_error\"}]}";

enum { CLEAR = LAYERS, SUM, CALLS };

/* A device of 1 GFLOP/s and 1 GB/s. */
/* A device alone, at that batch. */
static const struct dts_samples alone2 = {.batch = 2, .step = 2},
                                alone8 = {.batch = 8, .step = 8};

static struct dts_device made(const char *kind, struct dts_profile profile)
{
    return (struct dts_device){.name = "made",
                               .kind = kind,
                               .peak_flops_per_s = {1e9},
                               .memory_bytes_per_s = 1e9,
                               .efficiency = {1, 1, 1},
                               .profile = profile};
}

/* A profile in which every call takes a second each way, a sum 1/4 of one, a clearing 1/8. */
static struct dts_device measured(const struct dts_layer_call *calls, size_t clears,
                                  struct dts_op_call_key keys[CALLS])
{
    static struct dts_profile_point points[] = {{.batch = 2, .forward_s = 1, .backward_s = 1},
                                                {.batch = 2, .forward_s = 0.125},
                                                {.batch = 2, .forward_s = 0.25}};
    static struct dts_profile_kernel kernels[CALLS];
    static struct dts_profile_update update = {
        .optimizer = "sgd", .parameters = 1e3, .update_s = 1};
    const struct dts_op_call sum = dts_call_gradient_sum(&calls[A].call.output);
    const struct dts_op_call clear = dts_call_gradient_clear(clears);
    for (int i = 0; i < CALLS; i++) {
        keys[i] = dts_op_call_key(i < LAYERS ? &calls[i].call : i == CLEAR ? &clear : &sum);
        kernels[i] =
            (struct dts_profile_kernel){.call = keys[i].chars,
                                        .points = &points[i < LAYERS ? 0 : i - LAYERS + 1],
                                        .point_count = 1};
    }
    return made("cpu", (struct dts_profile){.kernels = kernels,
                                            .kernel_count = CALLS,
                                            .updates = &update,
                                            .update_count = 1,
                                            .threads = 1});
}

static void cleared_and_added_gradients_are_in_a_step(void)
{
    struct dts_model model;
    struct dts_layer_call calls[LAYERS];
    struct dts_op_call_key keys[CALLS];
    struct dts_model_seconds out;
    if (!load(&model, wide))
        return;
    dts_model_calls(&model, true, calls);
    const size_t clears = dts_call_clears(&model, A, true);
    CHECK_INT(clears, 200 * 10000 + 10000);
    CHECK_INT(dts_call_clears(&model, B, true), 0);
    const struct dts_device device = measured(calls, clears, keys);
    dts_seconds_from_profile(&model, &device, dts_optimizer_find("sgd"), &alone2, 0, &out);
    CHECK_NEAR(out.forward[A], 1.125, 1e-12);
    CHECK_NEAR(out.forward[B], 1, 1e-12);
    CHECK_NEAR(out.backward[D], 1, 1e-12);
    CHECK_NEAR(out.backward[C], 1, 1e-12); // the last taker but d writes
    CHECK_NEAR(out.backward[B], 1.25, 1e-12);
    CHECK_NEAR(out.backward[A], 1, 1e-12);
    CHECK_STRING(out.basis, "profile made, fp32, 1 thread: 7 of 7 calls measured");
    CHECK_STRING(out.outside, "");
    free(out.forward);
    free(out.backward);
    dts_seconds_from_profile(&model, &device, dts_optimizer_find("sgd"), &alone8, 0, &out);
    CHECK_STRING(out.outside, "batch 8, measured 2");
    free(out.forward);
    free(out.backward);
    static struct dts_profile_point there[] = {{.batch = 2, .forward_s = 1, .backward_s = 1},
                                               {.batch = 8, .forward_s = 1, .backward_s = 1}};
    device.profile.kernels[A].points = there; // this call was measured at other batches, too
    device.profile.kernels[A].point_count = 2;
    dts_seconds_from_profile(&model, &device, dts_optimizer_find("sgd"), &alone8, 0, &out);
    CHECK_STRING(out.outside, "batch 8, measured 2 (6 of 7 calls)");
    free(out.forward);
    free(out.backward);
    device.profile.kernels[A].point_count = 1;
    dts_seconds_from_profile(&model, &device, dts_optimizer_find("sgd"), &alone8, 0, &out);
    CHECK(out.forward[A] > 1.125 && out.forward[A] < 4.2); // it clears no more than before
    free(out.forward);
    free(out.backward);
    dts_model_free(&model);
}

/* With max(0, x) a sum has gradients to make; without, it hands them on. */
static const char rectified[] =
    "{\"name\": \"rectified\", \"sample\": \"vector\", \"input\": [6], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"name\": \"b\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"name\": \"c\", \"kind\": \"add\", \"input\": [\"a\", \"b\"]},"
    "{\"name\": \"d\", \"kind\": \"relu\"},"
    "{\"name\": \"loss\", \"kind\": \"mean_squared_error\"}]}";

static void a_sum_that_rectifies_works_backward(void)
{
    struct dts_model model;
    struct dts_layer_call calls[LAYERS];
    if (!load(&model, rectified))
        return;
    dts_model_calls(&model, true, calls);
    struct dts_profile_work work = dts_call_work(&model, calls, 2);
    CHECK_NEAR(work.forward_flops, 5 + 5, 0);
    CHECK_NEAR(work.backward_flops, 2 * 5, 0);
    CHECK_NEAR(work.backward_values, 4 * 5, 0); // y and dy are read, two written
    calls[2].wants[0] = false;
    CHECK_NEAR(dts_call_work(&model, calls, 2).backward_values, 3 * 5, 0);
    dts_model_calls(&model, false, calls);
    work = dts_call_work(&model, calls, 2);
    CHECK_NEAR(work.forward_flops, 5, 0);
    CHECK_NEAR(work.backward_values, 0, 0);
    dts_model_free(&model);
}

/* 35 and 30 parameters, no profile of any call, and so many updates of a profile. */
static struct dts_model_seconds seconds_of(const struct dts_model *model, const char *kind,
                                           double call_s, struct dts_profile_update *updates,
                                           int count)
{
    struct dts_model_seconds out;
    struct dts_device device = made(
        kind, (struct dts_profile){.updates = updates, .update_count = count, .threads = 1});
    device.call_s = call_s;
    dts_seconds_from_profile(model, &device, dts_optimizer_find("sgd"), &alone2, 0, &out);
    return out;
}

static void check_update(const struct dts_model *model, struct dts_profile_update *updates,
                         int count, double want)
{
    struct dts_model_seconds out = seconds_of(model, "cpu", 0, updates, count);
    CHECK_NEAR(out.update, want, 1e-12);
    free(out.forward);
    free(out.backward);
}

static void an_update_lies_between_those_of_fewer_and_more_parameters(void)
{
    struct dts_model model;
    struct dts_profile_update updates[] = {
        {.optimizer = "sgd", .parameters = 125, .update_s = 3},
        {.optimizer = "adam", .parameters = 65, .update_s = 100},
        {.optimizer = "sgd", .parameters = 25, .update_s = 1},
        {.optimizer = "sgd", .parameters = 5, .update_s = 0.9},
        {.optimizer = "sgd", .parameters = 1000, .update_s = 4},
    };
    if (!load(&model, rectified))
        return;
    check_update(&model, updates, 5, 1 + 0.4 * 2);
    check_update(&model, updates, 1, 3 * 65 / 125.0);
    check_update(&model, updates + 2, 2, 65 / 25.0);
    check_update(&model, NULL, 0, 0); // the roofline's, which is 0 here
    dts_model_free(&model);
}

/* One layer of three is measured, and tells one of the others; nothing tells the loss. */
static void what_is_estimated_is_said_with_its_share(void)
{
    struct dts_model model;
    struct dts_layer_call calls[LAYERS];
    if (!load(&model, rectified))
        return;
    dts_model_calls(&model, true, calls);
    const struct dts_op_call_key key = dts_op_call_key(&calls[A].call);
    struct dts_profile_point point = {.batch = 2, .forward_s = 3, .backward_s = 4};
    struct dts_profile_kernel kernel = {.call = key.chars,
                                        .work = dts_call_work(&model, calls, A),
                                        .points = &point,
                                        .point_count = 1};
    const struct dts_device device =
        made("cpu", (struct dts_profile){.kernels = &kernel, .kernel_count = 1});
    struct dts_model_seconds out;
    dts_seconds_from_profile(&model, &device, dts_optimizer_find("sgd"), &alone2, 0, &out);
    const double estimated_s = out.forward[B] + out.backward[B];
    CHECK(estimated_s > 5 && estimated_s < 14);
    char want[256];
    snprintf(want, sizeof(want),
             "profile made, fp32: 1 of 4 calls measured, 1 estimated from like ones, 2 by the "
             "roofline (%.2g %% of their seconds), update by the roofline",
             100 * estimated_s / (estimated_s + 7));
    CHECK_STRING(out.basis, want);
    free(out.forward);
    free(out.backward);
    dts_model_free(&model);
}

static void few_gradients_are_cleared_within_a_call(void)
{
    struct dts_model model;
    if (!load(&model, rectified))
        return;
    struct dts_model_seconds with = seconds_of(&model, "cpu", 1, NULL, 0);
    struct dts_model_seconds without = seconds_of(&model, "cpu", 0, NULL, 0);
    struct dts_model_seconds started = seconds_of(&model, "gpu", 1, NULL, 0);
    CHECK_NEAR(with.forward[0], without.forward[0] + 1, 1e-12);    // one call, not two
    CHECK_NEAR(started.forward[0], without.forward[0] + 2, 1e-12); // there it is one
    CHECK(without.forward[0] > 4 * 35 / 1e9);                      // and the bytes of both
    dts_model_seconds_free(&with);
    dts_model_seconds_free(&without);
    dts_model_seconds_free(&started);
    dts_model_free(&model);
}

/* Two take in the output of b. */
static const char halves[] =
    "{\"name\": \"halves\", \"sample\": \"vector\", \"input\": [6], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"name\": \"b\", \"kind\": \"gelu\"},"
    "{\"name\": \"c\", \"kind\": \"gelu\"},"
    "{\"name\": \"d\", \"kind\": \"add\", \"input\": [\"b\", \"c\"]},"
    "{\"name\": \"loss\", \"kind\": \"mean_squared_error\"}]}";

static void gradients_that_are_added_are_no_work_of_the_layer(void)
{
    struct dts_model model;
    struct dts_layer_call calls[LAYERS];
    if (!load(&model, halves))
        return;
    dts_model_calls(&model, true, calls);
    const struct dts_profile_work once = dts_call_work(&model, calls, 2);
    const struct dts_profile_work twice = dts_call_work(&model, calls, 1);
    CHECK_NEAR(twice.backward_flops, once.backward_flops, 0);
    CHECK_NEAR(twice.backward_values, once.backward_values, 0);
    CHECK_NEAR(model.layers[1].cost.backward_values, once.backward_values + 3 * 5, 0);
    dts_model_free(&model);
}

/* The same rows from tables of two sizes, which other caches hold. */
static const char tables[] =
    "{\"name\": \"tables\", \"sample\": \"sentence\", \"input\": [6], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"embedding\", \"vocabulary\": 9, \"features\": 5},"
    "{\"name\": \"b\", \"kind\": \"embedding\", \"vocabulary\": 90000, \"features\": 5,"
    " \"input\": \"entry\"},"
    "{\"name\": \"c\", \"kind\": \"embedding\", \"vocabulary\": 9, \"features\": 5,"
    " \"input\": \"entry\"},"
    "{\"name\": \"d\", \"kind\": \"add\", \"input\": [\"a\", \"b\", \"c\"]},"
    "{\"name\": \"loss\", \"kind\": \"mean_squared_error\"}]}";

static void tables_of_two_sizes_are_two_calls(void)
{
    struct dts_model model;
    struct dts_layer_call calls[LAYERS];
    if (!load(&model, tables))
        return;
    dts_model_calls(&model, true, calls);
    const struct dts_op_call_key a = dts_op_call_key(&calls[A].call),
                                 b = dts_op_call_key(&calls[B].call),
                                 c = dts_op_call_key(&calls[C].call);
    CHECK_STRING(a.chars, "embedding 6,9x5 > 6x5 first");
    CHECK(strcmp(a.chars, b.chars) != 0);
    CHECK_STRING(c.chars, a.chars);
    dts_model_free(&model);
}

static const char words[] =
    "{\"name\": \"words\", \"sample\": \"sequence\", \"input\": [10], \"layers\": ["
    "{\"kind\": \"embedding\", \"vocabulary\": 1000000, \"features\": 4, \"sparse\": true},"
    "{\"kind\": \"linear\", \"outputs\": 3}, {\"kind\": \"softmax_cross_entropy\"}]}";

/* The seconds of its update, forward of its table, and the words for it. */
static struct dts_model_seconds of_words(const struct dts_device *device, const char *optimizer,
                                         const struct dts_samples *samples)
{
    struct dts_model model;
    struct dts_model_seconds out = {0};
    if (!load(&model, words))
        return out;
    dts_seconds_from_profile(&model, device, dts_optimizer_find(optimizer), samples, 0, &out);
    dts_model_free(&model);
    return out;
}

/* A list of rows is measured; between devices the table of 16 MB is cleared and looked through,
 * each at 1 GB/s, and rows of all devices change. */
static void a_table_is_dense_where_gradients_are_exchanged(void)
{
    static struct dts_profile_point points[] = {{.batch = 2, .forward_s = 1, .backward_s = 1}};
    static struct dts_profile_update updates[] = {
        {.optimizer = "adam", .parameters = 1e3, .update_s = 1e-3},
        {.optimizer = "sgd", .parameters = 1e3, .update_s = 1e-3}};
    struct dts_profile_kernel kernels[] = {
        {.call = "embedding 10,1000000x4 > 10x4 sparse first",
         .points = points,
         .point_count = 1}};
    const struct dts_device device = made("cpu", (struct dts_profile){.kernels = kernels,
                                                                      .kernel_count = 1,
                                                                      .updates = updates,
                                                                      .update_count = 2,
                                                                      .threads = 1});
    const struct dts_samples two = {.batch = 2, .step = 2},
                             six = {.batch = 2, .step = 6, .exchanged = true};
    const double table_s = 4e6 * 4 / 1e9, dense = 4 * 3 + 3;
    struct dts_model_seconds out = of_words(&device, "adam", &two);
    CHECK(strstr(out.basis, "1 of 3 calls measured") != NULL);
    CHECK_NEAR(out.forward[0], 1, 1e-12);
    CHECK_NEAR(out.update, (dense + 2 * 10 * 4) * 1e-6, 1e-12);
    free(out.forward);
    free(out.backward);
    out = of_words(&device, "adam", &six);
    CHECK(strstr(out.basis, "0 of 4 calls measured") != NULL); // one more clears
    CHECK(out.forward[0] > table_s);
    CHECK_NEAR(out.update, (dense + 6 * 10 * 4) * 1e-6 + table_s, 1e-9);
    free(out.forward);
    free(out.backward);
    out = of_words(&device, "sgd", &six);
    CHECK_NEAR(out.update, (dense + 4e6) * 1e-6, 1e-9); // all of it, by zeros
    free(out.forward);
    free(out.backward);
}

TESTS(TEST(a_table_is_dense_where_gradients_are_exchanged),
      TEST(tables_of_two_sizes_are_two_calls),
      TEST(an_update_lies_between_those_of_fewer_and_more_parameters),
      TEST(what_is_estimated_is_said_with_its_share),
      TEST(few_gradients_are_cleared_within_a_call),
      TEST(gradients_that_are_added_are_no_work_of_the_layer),
      TEST(a_sum_that_rectifies_works_backward),
      TEST(the_last_taker_writes_a_gradient_and_the_others_are_added),
      TEST(cleared_and_added_gradients_are_in_a_step))

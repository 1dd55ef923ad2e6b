/* test_exec_steps.c -- steps that are timed, and those that pass between. */
#include "check.h"
#include "turns/steps.h"

/* The loss of the made task behind one step that counts. all_count: as between the calls of a
 * profile, where steps that are shorter than the pace follow on others. */
static double loss_behind(const char *path, int batch, bool all_count)
{
    struct dts_model model;
    struct dts_steps steps = {.last_loss = -1};
    struct dts_error err = {0};
    if (!CHECK(dts_model_load(&model, path, &err)))
        return -1;
    const struct dts_steps_request request = {.model = &model,
                                              .optimizer = dts_optimizer_find("sgd"),
                                              .batch = batch,
                                              .threads = 1,
                                              .precision = DTS_FP32,
                                              .steps = 1,
                                              .all_count = all_count};
    CHECK(dts_steps_measure(&request, &steps, &err));
    dts_model_free(&model);
    return steps.last_loss;
}

static void no_step_comes_between_long_ones(void)
{
    static const char path[] = DTS_SOURCE "/models/small_cnn.json";
    CHECK_NEAR(loss_behind(path, 8, true), loss_behind(path, 8, false), 0);
}

static void steps_come_between_short_ones(void)
{
    static const char path[] = DTS_SOURCE "/models/linear_regression.json";
    CHECK(loss_behind(path, 8, true) < loss_behind(path, 8, false));
}

TESTS(TEST(no_step_comes_between_long_ones), TEST(steps_come_between_short_ones))

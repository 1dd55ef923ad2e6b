/* test_begin.c -- how weights begin, as model files say it. */
#include <stdio.h>

#include "check.h"
#include "train/model/model.h"

/* Deviation and kind of the parameters of a convolution with 9 x 2 products for each output, a
 * norm, a linear layer of 5 features. */
static void check_begin(const char *top, const char *own, const double *spreads, bool uniform)
{
    char text[768];
    struct dts_model model;
    struct dts_error err = {0};
    snprintf(text, sizeof(text),
             "{\"name\": \"m\", \"input\": [2, 5, 5], %s \"layers\": ["
             "{\"kind\": \"conv2d\", \"channels\": 5, \"kernel\": 3},"
             "{\"kind\": \"batch_norm\"}, {\"kind\": \"global_pool\"},"
             "{\"kind\": \"linear\", %s \"outputs\": 4}]}",
             top, own);
    if (!CHECK(dts_model_parse(&model, "m.json", text, &err))) {
        printf("  %s\n", err.text);
        return;
    }
    for (int p = 0; p < 2; p++) {
        CHECK_NEAR(model.layers[0].params[p].spread, spreads[p], 1e-12);
        CHECK_NEAR(model.layers[1].params[p].mean, 1 - p, 0);
        CHECK_NEAR(model.layers[1].params[p].spread, 0, 0);
        CHECK_NEAR(model.layers[3].params[p].spread, spreads[2 + p], 1e-12);
    }
    CHECK(model.layers[0].params[0].uniform == uniform);
    dts_model_free(&model);
}

static void weights_begin_as_the_file_says(void)
{
    const double in = 1 / sqrt(18), out = sqrt(2.0 / 45), row = 1 / sqrt(5);
    check_begin("", "", (const double[]){out, 0, row, row}, false);
    check_begin("\"begin\": \"fan_in\",", "", (const double[]){in, in, row, row}, true);
    // 9 x 2 values come in, 9 x 5 go out; 5 and 4
    check_begin("\"begin\": \"glorot\",", "",
                (const double[]){sqrt(6.0 / (18 + 45)), 0, sqrt(6.0 / (5 + 4)), 0}, true);
    check_begin("\"begin\": {\"normal\": 0.5},", "", (const double[]){0.5, 0, 0.5, 0}, false);
    check_begin("\"begin\": {\"uniform\": 0.5},", "\"begin\": \"fan_in\",",
                (const double[]){0.5, 0, row, row}, true);
    check_begin("", "\"begin\": {\"normal\": 0.25},", (const double[]){out, 0, 0.25, 0}, false);
}

/* PyTorch's kaiming_normal_ counts all channels, though a value goes into those of its group.
 */
static void all_channels_of_groups_count(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    if (!CHECK(dts_model_parse(&model, "m.json",
                               "{\"name\": \"m\", \"input\": [4, 5, 5], \"layers\": ["
                               "{\"kind\": \"conv2d\", \"channels\": 6, \"kernel\": 3,"
                               " \"groups\": 2}, {\"kind\": \"mean_squared_error\"}]}",
                               &err)))
        return;
    CHECK_NEAR(model.layers[0].params[0].spread, sqrt(2.0 / (6 * 9)), 1e-12);
    dts_model_free(&model);
}

static void what_begin_cannot_mean_is_refused(void)
{
    static const char *const bad[][2] = {
        {"\"fan_out\"", "must be \"fan_in\", \"glorot\" or an object"},
        {"{}", "needs one of normal and uniform"},
        {"{\"normal\": 1, \"uniform\": 1}", "needs one of normal and uniform"},
        {"{\"normal\": -1}", "normal: must be >="},
        {"3", "must be"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256];
        struct dts_model model;
        struct dts_error err = {0};
        snprintf(text, sizeof(text),
                 "{\"name\": \"m\", \"input\": [3], \"begin\": %s, \"layers\": ["
                 "{\"kind\": \"linear\", \"outputs\": 4}]}",
                 bad[i][0]);
        CHECK(!dts_model_parse(&model, "m.json", text, &err));
        if (!CHECK(strstr(err.text, bad[i][1]) != NULL))
            printf("  %s\n", err.text);
    }
}

TESTS(TEST(weights_begin_as_the_file_says), TEST(all_channels_of_groups_count),
      TEST(what_begin_cannot_mean_is_refused))

/* test_stack.c -- stack files: published times are met, and bad files are refused in one line.
 */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "device/stack.h"

static const char whole[] =
    "{\"summary\": \"s\", \"anchors\": [{\"device\": \"p100\", \"model\": \"m\", "
    "\"precision\": "
    "\"fp32\", \"samples_per_s\": [[4, 100], [16, 200], [64, 160]], \"source\": \"here\"}], "
    "\"transport\": {\"within\": \"nvlink\", \"between\": {\"name\": \"tcp\"}}, "
    "\"noise\": {\"device_sigma\": 0.01}, \"assumed\": [\"noise.device_sigma\"]}";

/* A stack from text, through a file. */
static bool load(struct dts_stack *stack, const char *text, struct dts_error *err)
{
    char path[] = "/tmp/dtsim_stack_XXXXXX.json";
    const int file = mkstemps(path, 5);
    FILE *stream = fdopen(file, "w");
    fputs(text, stream);
    fclose(stream);
    const bool good = dts_stack_load(stack, path, err);
    remove(path);
    return good;
}

static void refused(const char *text, const char *message)
{
    struct dts_stack stack;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    CHECK(!load(&stack, text, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    const char *after = strstr(err.text, ".json: ");
    CHECK_STRING(after != NULL ? after + 7 : err.text, message);
    CHECK(stack.doc == NULL && stack.anchors == NULL);
}

static bool load_named(struct dts_stack *stack, const char *name)
{
    char *path;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    bool good = dts_library_find(&path, "stacks", name, NULL, &err);
    if (good) {
        good = dts_stack_load(stack, path, &err);
        free(path);
    }
    if (!CHECK(good))
        printf("%s\n", err.text);
    return good;
}

static void reads_what_a_file_says(void)
{
    struct dts_stack stack;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    if (!CHECK(load(&stack, whole, &err))) {
        printf("%s\n", err.text);
        return;
    }
    CHECK(strncmp(stack.name, "dtsim_stack_", 12) == 0 && strchr(stack.name, '.') == NULL);
    CHECK_INT(stack.anchor_count, 1);
    CHECK_STRING(stack.anchors[0].source, "here");
    CHECK(!stack.anchors[0].assumed);
    CHECK_NEAR(stack.device_sigma, 0.01, 0);
    CHECK_NEAR(stack.slowdown, 0, 0);
    CHECK_NEAR(stack.efficiency, 1, 0);
    CHECK_STRING(stack.algorithm, "ring");
    CHECK(stack.algorithm_between == NULL);
    CHECK_INT(stack.assumed_count, 1);
    CHECK_STRING(stack.assumed[0], "noise.device_sigma");
    CHECK(dts_stack_anchor(&stack, "p100", "m", DTS_FP32) == &stack.anchors[0]);
    CHECK(dts_stack_anchor(&stack, "p100", "m", DTS_FP16) == NULL);
    dts_stack_free(&stack);
    dts_stack_free(&stack);
}

static void transports_outlive_a_move_of_the_stack(void)
{
    struct dts_stack first;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    if (!CHECK(load(&first, whole, &err)))
        return;
    struct dts_stack *moved = malloc(sizeof(*moved));
    *moved = first;
    memset(&first, 0, sizeof(first));
    CHECK(dts_cfg_is_string(&moved->within));
    CHECK(dts_cfg_is_object(&moved->between));
    int number;
    CHECK(!dts_cfg_int(&moved->within, 0, 1, &number, &err));
    CHECK(strstr(err.text, ".json: transport.within: ") != NULL);
    dts_stack_free(moved);
    free(moved);
}

static void published_batches_are_met_exactly(void)
{
    char **names = dts_library_names("stacks");
    for (int n = 0; names[n] != NULL; free(names[n++])) {
        struct dts_stack stack;
        if (!load_named(&stack, names[n]))
            continue;
        for (int a = 0; a < stack.anchor_count; a++)
            for (int p = 0; p < stack.anchors[a].count; p++) {
                const struct dts_anchor_point *point = &stack.anchors[a].points[p];
                bool outside;
                CHECK_NEAR(dts_anchor_seconds(&stack.anchors[a], point->batch, &outside),
                           point->step_s, 1e-15);
                CHECK(!outside);
            }
        dts_stack_free(&stack);
    }
    free(names);
}

/* Of every anchor that the library has: none has a batch that is faster than a smaller one. */
static void larger_batches_take_longer(void)
{
    char **names = dts_library_names("stacks");
    for (int n = 0; names[n] != NULL; free(names[n++])) {
        struct dts_stack stack;
        if (!load_named(&stack, names[n]))
            continue;
        for (int a = 0; a < stack.anchor_count; a++) {
            double before_s = 0;
            bool outside;
            for (double batch = 0.5; batch < 2000; batch *= 1.1) {
                const double step_s = dts_anchor_seconds(&stack.anchors[a], batch, &outside);
                CHECK(step_s > before_s);
                before_s = step_s;
            }
        }
        dts_stack_free(&stack);
    }
    free(names);
}

static void k80_takes_64_ms_for_one_image_and_647_for_32(void)
{
    struct dts_stack stack;
    if (!load_named(&stack, "mxnet_kvstore"))
        return;
    const struct dts_anchor *anchor = dts_stack_anchor(&stack, "k80", "resnet50", DTS_FP32);
    bool outside;
    CHECK_NEAR(dts_anchor_seconds(anchor, 1, &outside), 0.064, 0.0005);
    CHECK_NEAR(dts_anchor_seconds(anchor, 32, &outside), 0.647, 0.0005);
    dts_stack_free(&stack);
}

static void between_batches_time_per_sample_is_a_line_in_logarithms(void)
{
    struct dts_anchor_point points[] = {{4, 4 / 100.0}, {16, 16 / 200.0}};
    const struct dts_anchor anchor = {.points = points, .count = 2};
    bool outside;
    CHECK_CLOSE(dts_anchor_seconds(&anchor, 8, &outside), 8 / sqrt(100.0 * 200.0), 1e-12);
    CHECK(!outside);
    CHECK_CLOSE(dts_anchor_seconds(&anchor, 2, &outside), 2 / 100.0, 1e-12);
    CHECK(outside);
    CHECK_CLOSE(dts_anchor_seconds(&anchor, 32, &outside), 32 / 200.0, 1e-12);
    CHECK(outside);
    CHECK_NEAR(dts_anchor_nearest(&anchor, 2), 4, 0);
    CHECK_NEAR(dts_anchor_nearest(&anchor, 99), 16, 0);
}

static void what_is_fixed_does_not_grow_outside(void)
{
    struct dts_anchor_point points[] = {{32, 0.235}};
    const struct dts_anchor anchor = {.points = points, .count = 1, .fixed_s = 0.055};
    bool outside;
    CHECK_CLOSE(dts_anchor_seconds(&anchor, 64, &outside), 0.055 + 2 * 0.18, 1e-12);
    CHECK_CLOSE(dts_anchor_seconds(&anchor, 1, &outside), 0.055 + 0.18 / 32, 1e-12);
}

static void goyal_anchor_is_split_as_published(void)
{
    struct dts_stack stack;
    if (!load_named(&stack, "caffe2_gloo"))
        return;
    const struct dts_anchor *anchor = dts_stack_anchor(&stack, "p100", "resnet50", DTS_FP32);
    CHECK_CLOSE(anchor->backward_share, 0.12 / 0.18, 1e-12);
    CHECK_NEAR(anchor->fixed_s, 0.055, 0);
    CHECK(anchor->assumed);
    CHECK_NEAR(stack.buckets.bytes, 0, 0);
    CHECK_STRING(stack.algorithm, "hierarchical");
    CHECK_STRING(stack.algorithm_between, "binary_blocks");
    dts_stack_free(&stack);
}

static void bad_files_are_refused_in_one_line(void)
{
#define ANCHOR(keys)                                                                           \
    "{\"summary\": \"s\", \"anchors\": [{\"device\": \"p100\", \"model\": \"m\", "             \
    "\"precision\": \"fp32\", \"source\": \"x\"" keys "}]}"
    refused("{}", "summary: missing (one line for `dtsim list`)");
    refused("{\"summary\": \"s\", \"anchors\": 3}",
            "anchors: must be a list of at most 256 anchors");
    refused(ANCHOR(""), "anchors[0]: must have either samples_per_s or step_s");
    refused(ANCHOR(", \"step_s\": [[1, 1]], \"samples_per_s\": [[1, 1]]"),
            "anchors[0]: must have either samples_per_s or step_s");
    refused(ANCHOR(", \"step_s\": []"), "anchors[0].step_s: must be a list of 1 to 64 pairs");
    refused(ANCHOR(", \"step_s\": [[1]]"), "anchors[0].step_s[0]: must be [batch, seconds]");
    refused(ANCHOR(", \"step_s\": [[0, 1]]"), "anchors[0].step_s[0][0]: must be >= 1, got 0");
    refused(ANCHOR(", \"step_s\": [[4, 1], [4, 2]]"),
            "anchors[0].step_s[1]: batch must be > 4, got 4");
    refused(ANCHOR(", \"step_s\": [[4, 1]], \"fixed_s\": 2"),
            "anchors[0].step_s[0]: the step must be longer than fixed_s, got 1 s");
    refused(ANCHOR(", \"step_s\": [[4, 1], [5, 2]], \"backward_s\": 0.5"),
            "anchors[0].backward_s: goes with one batch, got 2");
    refused(ANCHOR(", \"step_s\": [[4, 1]], \"backward_s\": 1"),
            "anchors[0].backward_s: must be < 1 (the step without fixed_s), got 1");
    refused(ANCHOR(", \"step_s\": [[4, 1]]}, {\"device\": \"p100\", \"model\": \"m\", "
                   "\"precision\": \"fp32\", \"source\": \"x\", \"step_s\": [[4, 1]]"),
            "anchors[1]: must not repeat p100, m, fp32");
    refused("{\"summary\": \"s\", \"noise\": {\"device_sigma\": -1}}",
            "noise.device_sigma: must be >= 0, got -1");
    refused("{\"summary\": \"s\", \"assumed\": 1}", "assumed: must be a list of paths");
    refused("{\"summary\": \"s\", \"assumed\": [\"noise.sigma\"]}",
            "assumed[0]: must be the path of a value, got \"noise.sigma\"");
    refused("{\"summary\": \"s\", \"assumed\": [\"anchors[0].step_s\"]}",
            "assumed[0]: must be the path of a value, got \"anchors[0].step_s\"");
#undef ANCHOR
}

TESTS(TEST(reads_what_a_file_says), TEST(transports_outlive_a_move_of_the_stack),
      TEST(published_batches_are_met_exactly), TEST(larger_batches_take_longer),
      TEST(k80_takes_64_ms_for_one_image_and_647_for_32),
      TEST(between_batches_time_per_sample_is_a_line_in_logarithms),
      TEST(what_is_fixed_does_not_grow_outside), TEST(goyal_anchor_is_split_as_published),
      TEST(bad_files_are_refused_in_one_line))

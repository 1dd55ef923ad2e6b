/* test_seconds.c -- seconds of layers: rooflines by hand, and published step times are met. */
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "check.h"
#include "device/stack.h"
#include "train/model/model.h"

static const struct dts_device toy = {
    .name = "toy",
    .peak_flops_per_s = {[DTS_FP32] = 1e12, [DTS_FP16] = 1e12},
    .memory_bytes_per_s = 1e11,
    .efficiency = {[DTS_WORK_CONV] = 0.5, [DTS_WORK_MATMUL] = 0.25, [DTS_WORK_MEMORY] = 1},
};

static const struct dts_stack bare = {.name = "bare", .efficiency = 1, .fixed_s = 0.004};

/* A convolution bound by compute, a normalization bound by memory, a reshape without work. */
static struct dts_layer toy_layers[] = {
    {.name = "conv",
     .cost = {.class = DTS_WORK_CONV,
              .forward_flops = 1e9,
              .backward_flops = 2e9,
              .forward_values = 10,
              .weight_values = 10}},
    {.name = "norm",
     .cost = {.class = DTS_WORK_MEMORY,
              .forward_flops = 1,
              .backward_flops = 1,
              .forward_values = 1e6,
              .backward_values = 2e6,
              .weight_values = 5e5}},
    {.name = "reshape", .cost = {.class = DTS_WORK_MEMORY}},
};
static const struct dts_model toy_model = {
    .name = "toy_model", .layers = toy_layers, .layer_count = 3, .parameters = 1e6};

static double sum(const double *seconds, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += seconds[i];
    return total;
}

static const struct dts_samples eight = {.batch = 8, .step = 8};

static bool ask(const struct dts_model *model, const struct dts_device *device,
                const struct dts_stack *stack, enum dts_precision precision, double batch,
                struct dts_model_seconds *out)
{
    struct dts_error err = {.cause = DTS_NO_ERROR};
    const struct dts_samples samples = {.batch = batch, .step = batch};
    const bool good = dts_model_seconds(model, device, stack, dts_optimizer_find("momentum"),
                                        precision, &samples, out, &err);
    if (!CHECK(good))
        printf("%s\n", err.text);
    return good;
}

static bool find_device(struct dts_device *device, const char *name)
{
    char *path;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    bool good = dts_library_find(&path, "devices", name, NULL, &err);
    if (good) {
        good = dts_device_load(device, path, &err);
        free(path);
    }
    return CHECK(good);
}

static bool find_stack(struct dts_stack *stack, const char *name)
{
    char *path;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    bool good = dts_library_find(&path, "stacks", name, NULL, &err);
    if (good) {
        good = dts_stack_load(stack, path, &err);
        free(path);
    }
    return CHECK(good);
}

static bool find_model(struct dts_model *model, const char *name)
{
    char *path;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    bool good = dts_library_find(&path, "models", name, NULL, &err);
    if (good) {
        good = dts_model_load(model, path, &err);
        free(path);
    }
    return CHECK(good);
}

static void layers_follow_the_roofline_where_nothing_is_published(void)
{
    struct dts_model_seconds s;
    if (!ask(&toy_model, &toy, &bare, DTS_FP32, 8, &s))
        return;
    CHECK_CLOSE(s.forward[0], 8 * 1e9 / 0.5e12, 1e-12);
    CHECK_CLOSE(s.backward[0], 8 * 2e9 / 0.5e12, 1e-12);
    CHECK_CLOSE(s.forward[1], (8 * 1e6 + 5e5) * 4 / 1e11, 1e-12);
    CHECK_CLOSE(s.backward[1], (8 * 2e6 + 2 * 5e5) * 4 / 1e11, 1e-12);
    CHECK_NEAR(s.forward[2] + s.backward[2], 0, 0);
    CHECK_CLOSE(s.update, 1e6 * 5 * 4 / 1e11, 1e-12);
    CHECK_NEAR(s.fixed, 0.004, 0);
    CHECK(s.anchor == NULL && s.outside[0] == '\0');
    CHECK(strncmp(s.basis, "bare roofline of toy, fp32", 26) == 0);
    dts_model_seconds_free(&s);
    dts_model_seconds_free(&s);
}

static void half_precision_moves_half_the_bytes_but_updates_whole_weights(void)
{
    struct dts_model_seconds whole, half;
    if (!ask(&toy_model, &toy, &bare, DTS_FP32, 8, &whole) ||
        !ask(&toy_model, &toy, &bare, DTS_FP16, 8, &half))
        return;
    CHECK_CLOSE(half.forward[1], whole.forward[1] / 2, 1e-12);
    CHECK_CLOSE(half.update, whole.update, 1e-12);
    dts_model_seconds_free(&whole);
    dts_model_seconds_free(&half);
}

static void the_stack_may_reach_less_than_the_roofline(void)
{
    struct dts_model_seconds all, less;
    struct dts_stack slow = bare;
    slow.efficiency = 0.5;
    if (!ask(&toy_model, &toy, &bare, DTS_FP32, 8, &all) ||
        !ask(&toy_model, &toy, &slow, DTS_FP32, 8, &less))
        return;
    for (int l = 0; l < 2; l++)
        CHECK_CLOSE(less.backward[l], 2 * all.backward[l], 1e-12);
    CHECK_CLOSE(less.update, all.update, 1e-12);
    dts_model_seconds_free(&all);
    dts_model_seconds_free(&less);
}

static void a_precision_without_a_peak_is_refused(void)
{
    struct dts_model_seconds s;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    CHECK(!dts_model_seconds(&toy_model, &toy, &bare, dts_optimizer_find("sgd"), DTS_BF16,
                             &eight, &s, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text, "precision: toy cannot compute in bf16; it has fp32, fp16");
    CHECK(s.forward == NULL);
}

/* The parts of an anchored step are the published step. */
static void check_anchor(const struct dts_stack *stack, const struct dts_anchor *anchor,
                         const struct dts_device *device, const struct dts_model *model)
{
    const double first = anchor->points[0].batch;
    const double last = anchor->points[anchor->count - 1].batch;
    const double batches[] = {first, sqrt(first * last), last};
    for (int i = 0; i < 3; i++) {
        struct dts_model_seconds s;
        bool outside;
        if (!ask(model, device, stack, anchor->precision, batches[i], &s))
            continue;
        CHECK_CLOSE(sum(s.forward, model->layer_count) + sum(s.backward, model->layer_count) +
                        s.update + s.fixed,
                    dts_anchor_seconds(anchor, batches[i], &outside), 1e-9);
        CHECK(s.anchor == anchor);
        CHECK(s.outside[0] == '\0');
        for (int l = 0; l < model->layer_count; l++)
            CHECK(s.forward[l] >= 0 && s.backward[l] >= 0);
        dts_model_seconds_free(&s);
    }
}

static void every_published_step_is_met(void)
{
    char **names = dts_library_names("stacks");
    int met = 0;
    for (int n = 0; names[n] != NULL; free(names[n++])) {
        struct dts_stack stack;
        if (!find_stack(&stack, names[n]))
            continue;
        for (int a = 0; a < stack.anchor_count; a++) {
            struct dts_device device;
            struct dts_model model;
            if (!find_device(&device, stack.anchors[a].device))
                continue;
            if (find_model(&model, stack.anchors[a].model)) {
                check_anchor(&stack, &stack.anchors[a], &device, &model);
                dts_model_free(&model);
                met++;
            }
            dts_device_free(&device);
        }
        dts_stack_free(&stack);
    }
    free(names);
    CHECK(met > 30);
}

static void goyal_step_is_split_as_published(void)
{
    struct dts_stack stack;
    struct dts_device device;
    struct dts_model model;
    struct dts_model_seconds s;
    if (!find_stack(&stack, "caffe2_gloo") || !find_device(&device, "p100") ||
        !find_model(&model, "resnet50") || !ask(&model, &device, &stack, DTS_FP32, 32, &s))
        return;
    CHECK_CLOSE(sum(s.backward, model.layer_count), 0.120, 1e-9);
    CHECK_CLOSE(sum(s.forward, model.layer_count), 0.060, 1e-9);
    CHECK_CLOSE(s.update + s.fixed, 0.055, 1e-9);
    CHECK(s.update > 0 && s.update < 0.002);
    CHECK(strstr(s.basis, "arXiv:1706.02677") != NULL);
    dts_model_seconds_free(&s);
    dts_model_free(&model);
    dts_device_free(&device);
    dts_stack_free(&stack);
}

/* A stack with one anchor, which the caller changes. */
struct anchored {
    struct dts_anchor_point point;
    struct dts_anchor anchor;
    struct dts_stack stack;
};

static void open_anchored(struct anchored *a, const char *model, int batch, double step_s)
{
    a->point = (struct dts_anchor_point){batch, step_s};
    a->anchor = (struct dts_anchor){
        .device = "toy", .model = model, .points = &a->point, .count = 1, .source = "here"};
    a->stack = bare;
    a->stack.anchors = &a->anchor;
    a->stack.anchor_count = 1;
}

/* Forward and backward at a batch over those at 8, by the bare roofline. */
static double roofline_growth(int batch)
{
    struct dts_model_seconds at, other;
    if (!ask(&toy_model, &toy, &bare, DTS_FP32, 8, &at) ||
        !ask(&toy_model, &toy, &bare, DTS_FP32, batch, &other))
        return NAN;
    const double growth = (sum(other.forward, 3) + sum(other.backward, 3)) /
                          (sum(at.forward, 3) + sum(at.backward, 3));
    dts_model_seconds_free(&at);
    dts_model_seconds_free(&other);
    return growth;
}

static void outside_the_published_batches_compute_grows_and_the_rest_does_not(void)
{
    struct anchored a;
    struct dts_model_seconds at, twice, one;
    const double to_16 = roofline_growth(16), to_1 = roofline_growth(1);
    CHECK(to_16 > 1.9 && to_16 < 2 && to_1 > 1.0 / 8 && to_1 < 1.0 / 7); // each call costs
    open_anchored(&a, "toy_model", 8, 1);
    a.anchor.fixed_s = 0.25;
    if (!ask(&toy_model, &toy, &a.stack, DTS_FP32, 8, &at) ||
        !ask(&toy_model, &toy, &a.stack, DTS_FP32, 16, &twice) ||
        !ask(&toy_model, &toy, &a.stack, DTS_FP32, 1, &one))
        return;
    CHECK(at.anchor != NULL);
    CHECK_CLOSE(at.fixed + at.update, 0.25, 1e-12);
    CHECK_CLOSE(twice.fixed, at.fixed, 1e-12);
    CHECK_CLOSE(sum(at.forward, 3) + sum(at.backward, 3), 0.75, 1e-12);
    CHECK_CLOSE(sum(twice.forward, 3) + sum(twice.backward, 3), 0.75 * to_16, 1e-12);
    CHECK_CLOSE(sum(one.forward, 3) + sum(one.backward, 3), 0.75 * to_1, 1e-12);
    CHECK_STRING(at.outside, "");
    CHECK_STRING(twice.outside, "batch 16, published 8");
    CHECK_STRING(one.outside, "batch 1, published 8");
    dts_model_seconds_free(&at);
    dts_model_seconds_free(&twice);
    dts_model_seconds_free(&one);
}

static void a_step_shorter_than_its_update_is_refused(void)
{
    struct anchored a;
    struct dts_model_seconds s;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    open_anchored(&a, "toy_model", 8, 1e-4);
    CHECK(
        dts_doc_parse(&a.stack.doc, "bare.json", "{\"anchors\": [{\"step_s\": 1e-4}]}", &err));
    CHECK(!dts_model_seconds(&toy_model, &toy, &a.stack, dts_optimizer_find("momentum"),
                             DTS_FP32, &eight, &s, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text,
                 "bare.json: anchors[0].step_s: a step of 0.0001 s of toy_model on toy "
                 "leaves no time beside the optimizer's 0.0002 s");
    dts_doc_free(a.stack.doc);
}

/* ResNet-50 does 23.6 GFLOP a sample forward and backward without its first gradient, 32 of
 * them 74 ms at the 10.6 Tflop/s of a P100; with Winograd's convolutions 56 ms, in fp16 28 ms.
 */
static void seconds_faster_than_the_peak_are_refused_or_doubted(void)
{
    const struct {
        double step_s;
        bool good, doubted;
    } cases[] = {
        {0.006, false, false}, {0.02, false, false}, {0.035, true, true}, {0.15, true, false}};
    struct dts_device p100;
    struct dts_model resnet;
    if (!find_device(&p100, "p100") || !find_model(&resnet, "resnet50"))
        return;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_model_seconds s = {0};
        struct dts_error err = {.cause = DTS_NO_ERROR};
        struct anchored a;
        open_anchored(&a, "resnet50", 32, cases[i].step_s);
        a.anchor.device = "p100";
        CHECK(dts_doc_parse(&a.stack.doc, "s.json", "{\"anchors\": [{\"step_s\": 1}]}", &err));
        const struct dts_samples samples = {.batch = 32, .step = 32};
        const bool good = dts_model_seconds(&resnet, &p100, &a.stack, dts_optimizer_find("sgd"),
                                            DTS_FP32, &samples, &s, &err);
        CHECK_INT(good, cases[i].good);
        CHECK_INT(good && s.doubt[0] != '\0', cases[i].doubted);
        CHECK(good || strstr(err.text, "s.json: anchors[0].step_s: ") == err.text);
        if (good)
            dts_model_seconds_free(&s);
        dts_doc_free(a.stack.doc);
    }
    dts_device_free(&p100);
    dts_model_free(&resnet);
}

/* If ResNet-18 takes twice its roofline, so does every model that nobody timed. */
static void other_models_of_the_device_set_the_scale(void)
{
    struct anchored a;
    struct dts_model_seconds known, bare_s, scaled;
    struct dts_model small, large;
    if (!find_model(&small, "resnet18") || !find_model(&large, "resnet34") ||
        !ask(&small, &toy, &bare, DTS_FP32, 8, &known) ||
        !ask(&large, &toy, &bare, DTS_FP32, 8, &bare_s))
        return;
    open_anchored(
        &a, "resnet18", 8,
        2 * (sum(known.forward, small.layer_count) + sum(known.backward, small.layer_count)) +
            known.update);
    if (!ask(&large, &toy, &a.stack, DTS_FP32, 8, &scaled))
        return;
    for (int l = 0; l < large.layer_count; l++) {
        CHECK_CLOSE(scaled.forward[l], 2 * bare_s.forward[l], 1e-9);
        CHECK_CLOSE(scaled.backward[l], 2 * bare_s.backward[l], 1e-9);
    }
    CHECK_CLOSE(scaled.update, bare_s.update, 1e-12);
    CHECK_NEAR(scaled.fixed, 0, 1e-12);
    CHECK(scaled.anchor == NULL && scaled.outside[0] == '\0');
    CHECK_STRING(scaled.basis, "roofline of toy, fp32, times 2, the mean of published resnet18 "
                               "(stack bare)");
    dts_model_seconds_free(&known);
    dts_model_seconds_free(&bare_s);
    dts_model_seconds_free(&scaled);
    dts_model_free(&small);
    dts_model_free(&large);
}

/* A P100 with PCIe has the chip of the P100 with NVLink at a lower clock: 9.3 in place of 10.6
 * Tflop/s. */
static void a_family_shares_what_was_published(void)
{
    struct dts_device nvlink, pcie;
    struct dts_model resnet, small;
    struct dts_model_seconds of, kin, other;
    struct anchored a;
    if (!find_device(&nvlink, "p100") || !find_device(&pcie, "p100_pcie") ||
        !find_model(&resnet, "resnet50") || !find_model(&small, "resnet18"))
        return;
    open_anchored(&a, "resnet50", 32, 0.2);
    a.anchor.device = "p100";
    if (!ask(&resnet, &nvlink, &a.stack, DTS_FP32, 32, &of) ||
        !ask(&resnet, &pcie, &a.stack, DTS_FP32, 32, &kin) ||
        !ask(&small, &pcie, &a.stack, DTS_FP32, 32, &other))
        return;
    const double ratio = nvlink.peak_flops_per_s[DTS_FP32] / pcie.peak_flops_per_s[DTS_FP32];
    const int layers = resnet.layer_count;
    CHECK_CLOSE(ratio, 10.6 / 9.3, 0.01);
    CHECK_CLOSE(sum(of.forward, layers) + sum(of.backward, layers) + of.update, 0.2, 1e-9);
    CHECK_CLOSE(sum(kin.forward, layers) + sum(kin.backward, layers) + kin.update, 0.2 * ratio,
                1e-9);
    CHECK(strstr(kin.basis, "for p100_pcie (peak rates)") != NULL);
    CHECK(strstr(other.basis, "others of its family") != NULL && !other.roofline);
    dts_model_seconds_free(&of);
    dts_model_seconds_free(&kin);
    dts_model_seconds_free(&other);
    dts_model_free(&resnet);
    dts_model_free(&small);
    dts_device_free(&nvlink);
    dts_device_free(&pcie);
}

/* Shares of the stack stand for the device's; attention has its own, each way; a loss moves the
 * bytes that the stack says. */
static void kernels_of_the_stack_replace_the_devices_shares(void)
{
    static const char text[] =
        "{\"name\":\"m\",\"summary\":\"-\",\"family\":\"gpt\",\"layers\":1,\"hidden\":64,"
        "\"heads\":4,\"vocabulary\":128,\"sequence\":32,\"dropout\":0,\"fused\":true}";
    struct dts_device fast = toy;
    struct dts_stack stack = bare;
    struct dts_model model;
    struct dts_model_seconds plain, own;
    struct dts_error err = {0};
    fast.memory_bytes_per_s = 1e30;
    stack.kernels = (struct dts_stack_kernels){
        .matmul = 0.5, .attention = 0.125, .attention_backward = 0.0625};
    if (!CHECK(dts_model_parse(&model, "m", text, &err)) ||
        !ask(&model, &fast, &bare, DTS_FP16, 2, &plain) ||
        !ask(&model, &fast, &stack, DTS_FP16, 2, &own))
        return;
    for (int l = 0; l < model.layer_count; l++) {
        const char *kind = model.layers[l].kind->name;
        const bool attends = strcmp(kind, "attention") == 0;
        if (strcmp(kind, "linear") != 0 && !attends)
            continue;
        CHECK_CLOSE(own.forward[l], plain.forward[l] * 0.25 / (attends ? 0.125 : 0.5), 1e-12);
        CHECK_CLOSE(own.backward[l], plain.backward[l] * 0.25 / (attends ? 0.0625 : 0.5),
                    1e-12);
    }
    dts_model_seconds_free(&plain);
    dts_model_seconds_free(&own);
    const int loss = model.layer_count - 1;
    stack.kernels = (struct dts_stack_kernels){.memory = 0.5, .loss_value_bytes = 36};
    if (ask(&model, &toy, &stack, DTS_FP16, 2, &own)) {
        CHECK_CLOSE(own.forward[loss], 2 * 32 * 128 * 18 / 0.5e11, 1e-12);
        CHECK_CLOSE(own.backward[loss], 2 * 32 * 128 * 18 / 0.5e11, 1e-12);
        dts_model_seconds_free(&own);
    }
    dts_model_free(&model);
}

/* Nothing needs the gradient of an image: the first convolution of ResNet-50 takes as long
 * backward as forward, as PipeDream's profile has it (4.6 and 9.7 ms with the image's copy;
 * msr-fiddle/pipedream, profiler/image_classification), the others twice as long. */
static void a_first_convolution_makes_no_gradient_of_its_input(void)
{
    struct dts_model model;
    struct dts_device device;
    struct dts_model_seconds s;
    struct dts_error err = {0};
    if (!CHECK(dts_model_load(&model, DTS_SOURCE "/models/resnet50.json", &err) &&
               dts_device_load(&device, DTS_SOURCE "/devices/p100.json", &err)))
        return;
    if (ask(&model, &device, &bare, DTS_FP32, 32, &s)) {
        CHECK(s.backward[0] < 1.2 * s.forward[0] && s.backward[0] > 0.5 * s.forward[0]);
        CHECK_NEAR(32 / (sum(s.forward, model.layer_count) +
                         sum(s.backward, model.layer_count) + s.update),
                   195, 2); // what devices/p100.json was derived from
        dts_model_seconds_free(&s);
    }
    dts_device_free(&device);
    dts_model_free(&model);
}

TESTS(TEST(a_family_shares_what_was_published),
      TEST(a_first_convolution_makes_no_gradient_of_its_input),
      TEST(layers_follow_the_roofline_where_nothing_is_published),
      TEST(half_precision_moves_half_the_bytes_but_updates_whole_weights),
      TEST(the_stack_may_reach_less_than_the_roofline),
      TEST(kernels_of_the_stack_replace_the_devices_shares),
      TEST(a_precision_without_a_peak_is_refused), TEST(every_published_step_is_met),
      TEST(goyal_step_is_split_as_published),
      TEST(outside_the_published_batches_compute_grows_and_the_rest_does_not),
      TEST(a_step_shorter_than_its_update_is_refused),
      TEST(seconds_faster_than_the_peak_are_refused_or_doubted),
      TEST(other_models_of_the_device_set_the_scale))

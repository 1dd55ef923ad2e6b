/* test_exec_mixed.c -- whole networks in mixed precision: gradients are those of fp32 within
 * the rounding of 16 bits, scaling the loss scales them and saves the small ones of fp16, an
 * overflow leaves a step out, and training goes as in fp32.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "kernels/reduce/loss_scale.h"
#include "kernels/reduce/reduce.h"
#include "train/network/optimizer.h"
#include "turns/steps.h"

enum { BATCH = 4, CLASSES = 5 };

/* Smooth, so that a rounding moves nothing across an edge: its gradients can be compared. */
static const char smooth[] =
    "{\"name\": \"smooth\", \"sample\": \"image\", \"input\": [3, 9, 8], \"layers\": ["
    "{\"name\": \"c1\", \"kind\": \"conv2d\", \"channels\": 6, \"kernel\": 3, \"padding\": 1},"
    "{\"name\": \"b1\", \"kind\": \"batch_norm\"}, {\"name\": \"r1\", \"kind\": \"silu\"},"
    "{\"name\": \"c2\", \"kind\": \"conv2d\", \"channels\": 6, \"kernel\": 3, \"padding\": 1},"
    "{\"name\": \"side\", \"kind\": \"conv2d\", \"input\": \"r1\", \"channels\": 6, "
    "\"kernel\": 1},"
    "{\"name\": \"sum\", \"kind\": \"add\", \"input\": [\"c2\", \"r1\", \"side\"]},"
    "{\"kind\": \"silu\"}, {\"kind\": \"avg_pool\", \"kernel\": 2},"
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

/* Attention, norms, tables. */
static const char words[] =
    "{\"name\": \"words\", \"sample\": \"sequence\", \"input\": [7], \"layers\": ["
    "{\"kind\": \"embedding\", \"vocabulary\": 11, \"features\": 12},"
    "{\"name\": \"p\", \"kind\": \"positional_embedding\", \"positions\": 7},"
    "{\"name\": \"n1\", \"kind\": \"layer_norm\"},"
    "{\"name\": \"q\", \"kind\": \"linear\", \"outputs\": 36},"
    "{\"name\": \"a\", \"kind\": \"attention\", \"heads\": 3, \"causal\": true},"
    "{\"name\": \"s\", \"kind\": \"add\", \"input\": [\"a\", \"p\"]},"
    "{\"kind\": \"lstm\", \"outputs\": 10}, {\"kind\": \"linear\", \"outputs\": 11},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

/* No normalization makes gradients large again. */
static const char deep[] =
    "{\"name\": \"deep\", \"sample\": \"vector\", \"input\": [20], \"layers\": ["
    "{\"name\": \"l1\", \"kind\": \"linear\", \"outputs\": 30}, {\"kind\": \"tanh\"},"
    "{\"name\": \"l2\", \"kind\": \"linear\", \"outputs\": 30}, {\"name\": \"t2\", \"kind\": "
    "\"tanh\"},"
    "{\"name\": \"l3\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

struct fixture {
    struct dts_model *model; // owned; the network points to it
    struct dts_network *network;
};

static void fill(struct fixture *f)
{
    bool tokens, classes;
    size_t count;
    void *input = dts_network_input(f->network, &tokens);
    int32_t *target =
        dts_network_target(f->network, f->model->layer_count - 1, &count, &classes);
    const size_t inputs = BATCH * dts_dims_elements(&f->model->input);
    for (size_t i = 0; i < inputs; i++)
        if (tokens)
            ((int32_t *)input)[i] = (int32_t)(dts_random(11, 0, i) % 11);
        else
            ((float *)input)[i] = (float)dts_normal(11, 0, i);
    for (size_t i = 0; i < BATCH * count; i++)
        target[i] = (int32_t)(dts_random(12, 0, i) % CLASSES);
}

static struct fixture make(const char *text, enum dts_precision precision, int threads)
{
    struct dts_error err = {0};
    struct fixture f = {.model = dts_alloc(1, sizeof(*f.model))};
    const struct dts_network_options options = {
        .batch = BATCH, .threads = threads, .seed = 5, .precision = precision};
    if (!CHECK(dts_model_parse(f.model, "test.json", text, &err)) ||
        !CHECK(dts_network_make(&f.network, f.model, &options, &err))) {
        printf("%s\n", err.text);
        exit(1);
    }
    fill(&f);
    return f;
}

static void end(struct fixture *f)
{
    dts_network_free(f->network);
    dts_model_free(f->model);
    free(f->model);
}

/* Forward and backward; returns the loss. */
static double run(struct fixture *f, double loss_scale)
{
    const struct dts_network_step step = {.training = true, .loss_scale = loss_scale};
    dts_network_begin(f->network, &step);
    for (int l = 0; l < f->model->layer_count; l++)
        dts_network_forward(f->network, l);
    for (int l = f->model->layer_count - 1; l >= 0; l--)
        dts_network_backward(f->network, l);
    return dts_network_loss(f->network);
}

/* |a / scale - b| / |b|, from parameter `first` on. */
static double distance(const struct fixture *a, double scale, const struct fixture *b,
                       size_t first)
{
    const float *x = dts_network_gradients(a->network), *y = dts_network_gradients(b->network);
    double difference = 0, norm = 0;
    for (size_t i = first; i < dts_network_parameters(b->network); i++) {
        const double d = (double)x[i] / scale - (double)y[i];
        difference += d * d;
        norm += (double)y[i] * (double)y[i];
    }
    return sqrt(difference / norm);
}

/* A value is rounded once forward and once backward by each layer, and the weights once; errors
 * of up to u = 2^-8 or 2^-11 that are as random as they are many grow by the root of their
 * number: for fewer than 12 layers sqrt(36) u at the most, were each of full size. */
static void check_gradient(const char *text, enum dts_precision precision, double u)
{
    struct fixture want = make(text, DTS_FP32, 1), got = make(text, precision, 2);
    CHECK(want.model->layer_count <= 12);
    const double loss = run(&want, 1), mixed = run(&got, 256);
    CHECK_CLOSE(mixed, loss, 6 * u);
    const double far = distance(&got, 256, &want, 0);
    if (!CHECK(far < 6 * u && far > u / 100))
        printf("  %s: %g u\n", dts_precision_name((int)precision), far / u);
    end(&want);
    end(&got);
}

static void gradients_are_those_of_fp32_within_16_bits(void)
{
    check_gradient(smooth, DTS_BF16, 0x1p-8);
    check_gradient(smooth, DTS_FP16, 0x1p-11);
    check_gradient(words, DTS_BF16, 0x1p-8);
    check_gradient(words, DTS_FP16, 0x1p-11);
}

static void scaling_the_loss_scales_gradients_and_nothing_else(void)
{
    struct fixture plain = make(smooth, DTS_BF16, 1), scaled = make(smooth, DTS_BF16, 1);
    const double loss = run(&plain, 0);
    CHECK_NEAR(run(&scaled, 1024), loss, 0);
    CHECK_NEAR(distance(&scaled, 1024, &plain, 0), 0, 0); // by a power of two: exactly
    end(&plain);
    end(&scaled);
}

/* Gradients behind the last layer become so small that fp16 has no numbers for them. */
static void the_loss_scale_saves_small_gradients(void)
{
    struct fixture want = make(deep, DTS_FP32, 1), got = make(deep, DTS_FP16, 1);
    struct fixture *both[] = {&want, &got};
    for (int i = 0; i < 2; i++)
        for (size_t w = 0; w < dts_network_parameters(both[i]->network); w++)
            dts_network_weights(both[i]->network)[w] *= 0x1p-8f;
    const size_t l1 = dts_network_offset(want.network, 0, 1); // what comes last
    run(&want, 1);
    run(&got, 1);
    CHECK(distance(&got, 1, &want, l1) > 0.01);
    run(&got, 65536);
    CHECK(distance(&got, 65536, &want, l1) < 6 * 0x1p-11);
    end(&want);
    end(&got);
}

/* Many layers, so that what one call widens is little. */
static const char many[] =
    "{\"name\": \"many\", \"sample\": \"image\", \"input\": [4, 16, 16], \"layers\": ["
    "{\"name\": \"block\", \"repeat\": 60, \"layers\": ["
    "  {\"name\": \"c\", \"kind\": \"conv2d\", \"channels\": 4, \"kernel\": 1},"
    "  {\"name\": \"s\", \"kind\": \"silu\"}]},"
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

static void what_is_kept_takes_half_of_the_memory(void)
{
    struct fixture single = make(many, DTS_FP32, 1), mixed = make(many, DTS_BF16, 1);
    const size_t both = 2 * dts_network_parameters(single.network) * sizeof(float);
    const double want = (double)(dts_network_bytes(single.network) - both);
    const double got = (double)(dts_network_bytes(mixed.network) - both);
    if (!CHECK(got > 0.5 * want && got < 0.65 * want))
        printf("  %.3g of %.3g kB\n", 1e-3 * got, 1e-3 * want);
    end(&single);
    end(&mixed);
}

static bool measure(const struct dts_model *model, enum dts_precision precision,
                    struct dts_steps *steps)
{
    struct dts_error err = {0};
    const struct dts_steps_request request = {
        .model = model,
        .optimizer = dts_optimizer_find("momentum"),
        .batch = 16,
        .threads = 1,
        .precision = precision,
        .steps = 300,
    };
    if (CHECK(dts_steps_measure(&request, steps, &err)))
        return true;
    printf("%s\n", err.text);
    return false;
}

/* A network for images of 28 x 28, as of Fashion-MNIST, on made ones. */
static const char small[] =
    "{\"name\": \"small\", \"sample\": \"image\", \"input\": [1, 28, 28], \"layers\": ["
    "{\"kind\": \"conv2d\", \"channels\": 4, \"kernel\": 5, \"stride\": 2}, {\"kind\": "
    "\"relu\"},"
    "{\"kind\": \"batch_norm\"}, {\"kind\": \"max_pool\", \"kernel\": 2},"
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 10},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

static void training_falls_as_in_fp32(void)
{
    struct dts_error err = {0};
    struct dts_model model;
    struct dts_steps fp32, bf16, fp16;
    if (!CHECK(dts_model_parse(&model, "small.json", small, &err)))
        return;
    if (measure(&model, DTS_FP32, &fp32) && measure(&model, DTS_BF16, &bf16) &&
        measure(&model, DTS_FP16, &fp16)) {
        CHECK(fp32.last_loss < 0.2 * fp32.first_loss);
        CHECK_CLOSE(bf16.last_loss, fp32.last_loss, 0.05);
        CHECK_CLOSE(fp16.last_loss, fp32.last_loss, 0.01);
    }
    dts_model_free(&model);
}

/* Weights that make fp16 overflow at any large scale: the scale falls until a step counts. */
static void steps_that_overflow_are_left_out(void)
{
    struct fixture f = make(smooth, DTS_FP16, 1);
    struct dts_loss_scale scale = {.scale = 0x1p24};
    const float *gradients = dts_network_gradients(f.network);
    struct dts_optimizer_run *optimizer = NULL;
    struct dts_error err = {0};
    bool finite = false;
    CHECK(dts_optimizer_make(&optimizer, f.model, dts_optimizer_find("sgd"), &err));
    for (int i = 0; i < 24 && !finite; i++) {
        run(&f, scale.scale);
        finite = dts_optimizer_finite(optimizer, gradients, NULL);
        int all = -1;
        dts_reduce_finite(&all, gradients, dts_network_parameters(f.network),
                          &(struct dts_place){0});
        CHECK_INT(finite, all);
        dts_loss_scale_next(&scale, finite);
    }
    CHECK(finite && scale.left_out > 3);
    CHECK_NEAR(scale.scale, ldexp(1, 24 - (int)scale.left_out), 0);
    dts_optimizer_free(optimizer);
    end(&f);
}

static void fp64_is_refused(void)
{
    struct dts_error err = {0};
    struct dts_model model;
    struct dts_network *network = NULL;
    const struct dts_network_options options = {
        .batch = 1, .threads = 1, .precision = DTS_FP64};
    if (!CHECK(dts_model_parse(&model, "test.json", smooth, &err)))
        return;
    CHECK(!dts_network_make(&network, &model, &options, &err));
    CHECK_INT(err.cause, DTS_UNSUPPORTED);
    CHECK_STRING(err.text, "precision: no kernels compute in fp64");
    dts_model_free(&model);
}

TESTS(TEST(gradients_are_those_of_fp32_within_16_bits),
      TEST(scaling_the_loss_scales_gradients_and_nothing_else),
      TEST(the_loss_scale_saves_small_gradients), TEST(what_is_kept_takes_half_of_the_memory),
      TEST(training_falls_as_in_fp32), TEST(steps_that_overflow_are_left_out),
      TEST(fp64_is_refused))

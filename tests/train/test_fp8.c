/* test_fp8.c -- products in 8 bits: which layers have them, what they take with their casts,
 * and what they leave in memory, by closed forms.
 */
#include "train/mesh_point.h"

#include "device/stack.h"
#include "kernels/op_cost.h"

enum { S = 512, HIDDEN = 1024, VOCABULARY = 4096, LAYERS_HERE = 2, BATCH = 4 };

static const struct dts_stack bare = {.name = "none", .efficiency = 1};

static void load(struct dts_model *model, struct dts_device *device, const char *file)
{
    char text[512];
    struct dts_error err = {0};
    snprintf(text, sizeof(text),
             "{\"name\":\"tiny\",\"family\":\"gpt\",\"layers\":%d,\"hidden\":%d,\"heads\":8,"
             "\"vocabulary\":%d,\"sequence\":%d}",
             LAYERS_HERE, HIDDEN, VOCABULARY, S);
    CHECK(dts_model_parse(model, "tiny", text, &err));
    CHECK(dts_device_load(device, file, &err));
    CHECK_STRING(err.text, "");
    device->units = 0; // products of all shapes fill it
}

static struct dts_model_seconds seconds_of(const struct dts_model *model,
                                           const struct dts_device *device,
                                           enum dts_precision precision)
{
    struct dts_error err = {0};
    struct dts_model_seconds seconds = {0};
    const struct dts_samples samples = {.batch = BATCH, .step = BATCH};
    CHECK(dts_model_seconds(model, device, &bare, dts_optimizer_find("adam"), precision,
                            &samples, &seconds, &err));
    CHECK_STRING(err.text, "");
    return seconds;
}

static int find(const struct dts_model *model, const char *end)
{
    for (int l = 0; l < model->layer_count; l++) {
        const size_t length = strlen(model->layers[l].name);
        if (length >= strlen(end) &&
            strcmp(model->layers[l].name + length - strlen(end), end) == 0)
            return l;
    }
    printf("no layer %s\n", end);
    CHECK(false);
    return 0;
}

/* A linear layer of h by 4 h: 2 s b h 4h operations at the peak of 8 bits, and a kernel that
 * reads 2 bytes of what comes in and writes 1 twice; backward twice the operations, and what
 * the gradient of 4 h values takes. */
static void a_product_takes_its_rate_and_its_casts(void)
{
    struct dts_model model;
    struct dts_device device;
    load(&model, &device, DTS_SOURCE "/devices/h100.json");
    struct dts_model_seconds eight = seconds_of(&model, &device, DTS_FP8);
    const int l = find(&model, ".fc");
    const double peak = device.peak_flops_per_s[DTS_FP8] * device.efficiency[DTS_WORK_MATMUL];
    const double rate = device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY];
    const double flops = 8.0 * S * BATCH * HIDDEN * HIDDEN, values = (double)S * BATCH * HIDDEN;
    CHECK_NEAR(device.peak_flops_per_s[DTS_FP8], 2 * device.peak_flops_per_s[DTS_BF16], 0);
    CHECK_CLOSE(eight.forward[l], flops / peak + 4 * values / rate + 2 * device.call_s, 1e-9);
    CHECK_CLOSE(eight.backward[l],
                (2 * flops + 4 * values * BATCH / BATCH) / peak + 4 * 4 * values / rate +
                    2 * device.call_s,
                1e-4);
    dts_model_seconds_free(&eight);
    dts_model_free(&model);
    dts_device_free(&device);
}

/* Software may reach less of the peak in 8 bits than of others. */
static void a_stack_says_what_its_products_reach(void)
{
    struct dts_model model;
    struct dts_device device;
    struct dts_stack slow = bare;
    struct dts_error err = {0};
    struct dts_model_seconds seconds = {0};
    const struct dts_samples samples = {.batch = BATCH, .step = BATCH};
    load(&model, &device, DTS_SOURCE "/devices/h100.json");
    slow.kernels.matmul_fp8 = 0.35;
    CHECK(dts_model_seconds(&model, &device, &slow, dts_optimizer_find("adam"), DTS_FP8,
                            &samples, &seconds, &err));
    const int l = find(&model, ".fc"), head = model.layer_count - 2;
    const double rate = device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY];
    CHECK_CLOSE(seconds.forward[l],
                8.0 * S * BATCH * HIDDEN * HIDDEN / (0.35 * device.peak_flops_per_s[DTS_FP8]) +
                    4.0 * S * BATCH * HIDDEN / rate + 2 * device.call_s,
                1e-9);
    CHECK_CLOSE(
        seconds.forward[head],
        2.0 * S * BATCH * HIDDEN * VOCABULARY /
                (device.efficiency[DTS_WORK_MATMUL] * device.peak_flops_per_s[DTS_BF16]) +
            device.call_s,
        1e-9);
    dts_model_seconds_free(&seconds);
    dts_model_free(&model);
    dts_device_free(&device);
}

/* All else is as in bf16: attention, norms, the product with the vocabulary; not so the four
 * linear layers of a block. The update casts their weights. */
static void all_but_products_is_as_in_bf16(void)
{
    struct dts_model model;
    struct dts_device device;
    load(&model, &device, DTS_SOURCE "/devices/h100.json");
    struct dts_model_seconds eight = seconds_of(&model, &device, DTS_FP8),
                             half = seconds_of(&model, &device, DTS_BF16);
    int products = 0;
    for (int l = 0; l < model.layer_count; l++) {
        products += model.layers[l].eight;
        if (model.layers[l].eight)
            CHECK(eight.forward[l] != half.forward[l]);
        else
            CHECK(eight.forward[l] == half.forward[l] && eight.backward[l] == half.backward[l]);
    }
    CHECK_INT(products, 4 * LAYERS_HERE);
    CHECK(!model.layers[model.layer_count - 2].eight); // before the loss
    CHECK_NEAR(model.eight_parameters, LAYERS_HERE * (12.0 * HIDDEN * HIDDEN + 9 * HIDDEN),
               0); // with their biases
    const double rate = device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY];
    CHECK_CLOSE(eight.update - half.update, 4 * model.eight_parameters / rate + device.call_s,
                1e-9);
    dts_model_seconds_free(&eight);
    dts_model_seconds_free(&half);
    dts_model_free(&model);
    dts_device_free(&device);
}

/* Of a block: what comes into qkv, proj, fc and fc_proj has 1 byte in place of 2 (h, h, h and 4
 * h values a position), which nobody else keeps. Weights have 2 bytes more. */
static void products_keep_bytes(void)
{
    struct dts_model model;
    struct dts_device device;
    load(&model, &device, DTS_SOURCE "/devices/h100.json");
    const struct dts_optimizer *adam = dts_optimizer_find("adam");
    const struct dts_memory eight = dts_model_memory(&model, adam, DTS_FP8, BATCH, false),
                            half = dts_model_memory(&model, adam, DTS_BF16, BATCH, false);
    const double each = (double)S * BATCH * HIDDEN;
    CHECK_NEAR(eight.activations - half.activations, LAYERS_HERE * -(1 + 1 + 1 + 4) * each, 0);
    CHECK_NEAR(eight.weights - half.weights, 2 * model.eight_parameters, 0);
    CHECK_NEAR(eight.gradients, half.gradients, 0); // in 16 bits
    CHECK_NEAR(eight.optimizer, half.optimizer, 0);
    dts_model_free(&model);
    dts_device_free(&device);
}

static struct dts_memory memory_of(struct fixture *f, const char *json, int devices,
                                   enum dts_precision precision, double *exchanged)
{
    struct dts_error err = {0};
    struct dts_memory memory = {0};
    f->scenario.precision = precision;
    struct dts_job job = walked(f, json, devices);
    struct dts_traffic traffic;
    CHECK(dts_point_memory(&f->point, &memory, &err));
    dts_job_traffic(&job, &traffic);
    *exchanged = traffic.bytes;
    leave(f, &job);
    return memory;
}

/* A mesh has the same: each stage its blocks, each tensor rank its part; what is exchanged is
 * what bf16 exchanges. */
static void meshes_keep_and_exchange_their_part(void)
{
    enum { H = 32, P = 16, BLOCKS = 8, LINEAR = 12 * H * H + 9 * H };
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    set_up_blocks(&f, &device, BLOCKS, 4);
    dts_device_free(&device);
    CHECK(dts_device_load(&device, DTS_SOURCE "/devices/h100.json", &err));
    static const char *const meshes[] = {"{}", "{\"mesh\":{\"pipeline\":2}}",
                                         "{\"mesh\":{\"tensor\":2}}"};
    static const double blocks[] = {BLOCKS, BLOCKS / 2, BLOCKS};
    for (int i = 0; i < 3; i++) {
        double bytes8, bytes16;
        const struct dts_memory eight = memory_of(&f, meshes[i], 2, DTS_FP8, &bytes8),
                                half = memory_of(&f, meshes[i], 2, DTS_BF16, &bytes16);
        const double parts = i == 2 ? (12 * H * H + 7 * H) / 2.0 + 2 * H : LINEAR;
        CHECK_NEAR(eight.weights - half.weights, 2 * blocks[i] * parts, 0);
        CHECK_NEAR(bytes8, bytes16, 0);
        CHECK(eight.activations < half.activations);
        if (i == 0) {
            CHECK_NEAR(eight.activations - half.activations, BLOCKS * -7.0 * P * H, 0);
        }
    }
    f.scenario.precision = DTS_FP32;
    finish(&f, &device);
}

/* Positions as often as they are sent, each of n values in and hidden ones between. */
static void a_mixture_casts_what_its_experts_see(void)
{
    enum { T = 16, N = 32, E = 8, K = 2, F = 24 };
    const struct dts_op_call call = {
        .op = "moe",
        .inputs = {{.count = 2, .size = {T, N}}},
        .input_count = 1,
        .output = {.count = 2, .size = {T, N}},
        .params = {E * N, E * F * N, E * F * N, E * F * N},
        .param_count = 4,
        .experts = E,
        .chosen = K,
    };
    CHECK_NEAR(dts_op_cast_values(&call, false), T * K * (N + F), 0);
    CHECK_NEAR(dts_op_cast_values(&call, true), T * K * (N + 2 * F), 0);
}

static void fp8_that_cannot_act_is_refused(void)
{
    struct dts_model model;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_model_seconds seconds;
    const struct dts_samples samples = {.batch = 1, .step = 1};
    const struct dts_optimizer *adam = dts_optimizer_find("adam");
    enum dts_half half;
    load(&model, &device, DTS_SOURCE "/devices/a100_40gb.json");
    CHECK(!dts_model_seconds(&model, &device, &bare, adam, DTS_FP8, &samples, &seconds, &err));
    CHECK(strstr(err.text, "a100_40gb cannot compute in fp8") != NULL);
    dts_model_free(&model);
    dts_device_free(&device);
    err = (struct dts_error){0};
    CHECK(dts_device_load(&device, DTS_SOURCE "/devices/h100.json", &err));
    static const char *const without[][2] = {
        {DTS_SOURCE "/models/resnet50.json", "precision: fp8 has no effect on resnet50"},
        {DTS_SOURCE "/models/linear_regression.json",
         "precision: fp8 has no effect on linear_regression"},
    };
    for (int i = 0; i < 2; i++) {
        err = (struct dts_error){0};
        CHECK(dts_model_load(&model, without[i][0], &err));
        CHECK(!dts_model_seconds(&model, &device, &bare, adam, DTS_FP8, &samples, &seconds,
                                 &err));
        CHECK(strstr(err.text, without[i][1]) != NULL);
        dts_model_free(&model);
    }
    CHECK(!dts_precision_is_half(DTS_FP8, &half)); // no kernel takes it for 16 bits
    dts_device_free(&device);
}

TESTS(TEST(a_product_takes_its_rate_and_its_casts), TEST(a_stack_says_what_its_products_reach),
      TEST(all_but_products_is_as_in_bf16), TEST(products_keep_bytes),
      TEST(meshes_keep_and_exchange_their_part), TEST(a_mixture_casts_what_its_experts_see),
      TEST(fp8_that_cannot_act_is_refused))

/* test_exec_profile_write.c -- what is written of a profile can be read, whatever the model. */
#include <stdlib.h>
#include <unistd.h>

#include "base/os/processor.h"
#include "base/version.h"
#include "check.h"
#include "train/model/seconds/seconds_profile.h"
#include "train/timing/profile_write.h"

/* One of dense weights, one of a table with sparse gradients alone, one of none. */
static const char *const texts[] = {
    "{\"name\": \"dense\", \"input\": [8], \"layers\": [{\"kind\": \"linear\", \"outputs\": 4},"
    "{\"kind\": \"mean_squared_error\"}]}",
    "{\"name\": \"rows\", \"input\": [6], \"layers\": [{\"kind\": \"embedding\","
    "\"vocabulary\": 9, \"features\": 8, \"sparse\": true}, {\"kind\": "
    "\"mean_squared_error\"}]}",
    "{\"name\": \"none\", \"input\": [8], \"layers\": [{\"kind\": \"relu\"},"
    "{\"kind\": \"mean_squared_error\"}]}",
};

enum { MANY = 100 }; // models: more updates than a call can have batches
enum { MODELS = sizeof(texts) / sizeof(texts[0]), OPTIMIZERS = 2 };

static const double call_s = 1e-3, updates_s[OPTIMIZERS] = {1e-3, 2e-3};

static const struct dts_roofline roofline = {.kind = "cpu",
                                             .name = "made",
                                             .library = "none",
                                             .products = "made",
                                             .memory = "made",
                                             .call = "made",
                                             .flops_per_s = {[DTS_FP32] = 1e9},
                                             .memory_bytes = 1e9,
                                             .memory_bytes_per_s = 1e9};

/* A profile of these models at batch 2, in which nothing was measured in truth. */
static bool write_profile(const struct dts_model *models, int count, const char *path)
{
    const struct dts_optimizer *const optimizers[] = {dts_optimizer_find("sgd"),
                                                      dts_optimizer_find("adam")};
    const struct dts_space_request space_request = {.threads = 1, .queues = 1};
    const int batch = 2;
    const struct dts_profile_request request = {.models = models,
                                                .model_count = count,
                                                .batches = &batch,
                                                .batch_count = 1,
                                                .kind = dts_space_find("cpu"),
                                                .precision = DTS_FP32,
                                                .optimizers = optimizers,
                                                .optimizer_count = OPTIMIZERS};
    static struct dts_runs updates[MANY * OPTIMIZERS];
    struct dts_profile_entries entries = {.items = NULL};
    struct dts_error err = {0};
    struct dts_space *space;
    if (!CHECK(dts_space_open(&space, request.kind, &space_request, &err)))
        return false;
    dts_profile_entries_find(&request, &entries);
    for (int i = 0; i < entries.count; i++) {
        struct dts_kernel_times *times = entries.items[i].times;
        times->forward = times->backward = (struct dts_runs){.seconds = {call_s}, .count = 1};
    }
    for (int u = 0; u < count * OPTIMIZERS; u++)
        updates[u] = (struct dts_runs){.seconds = {updates_s[u % OPTIMIZERS]}, .count = 1};
    const struct dts_profile_findings found = {
        &entries, updates, count * OPTIMIZERS, NULL, &roofline, space, 0};
    const bool written = dts_profile_write(&request, &found, path, &err);
    dts_profile_entries_free(&entries);
    dts_space_close(space);
    return CHECK(written);
}

/* By the profile, and by the roofline, 1 s, where it knows of no update. */
static void check_update(const struct dts_model *model, const struct dts_device *device,
                         const char *optimizer, double update_s)
{
    struct dts_model_seconds out;
    const struct dts_samples samples = {.batch = 2, .step = 2};
    dts_seconds_from_profile(model, device, dts_optimizer_find(optimizer), &samples, 1, &out);
    CHECK_NEAR(out.update, update_s, 1e-12);
    CHECK(isfinite(out.forward[0]) && out.forward[0] >= call_s);
    CHECK((strstr(out.basis, "update by the roofline") != NULL) == (update_s >= 1));
    free(out.forward);
    free(out.backward);
}

/* The `count` models from `first` on; behind the last one the first of all comes again. */
static bool make(int first, int count, struct dts_model *models, struct dts_device *device)
{
    struct dts_error err = {0};
    char path[] = "/tmp/test_profile_write_XXXXXX.json";
    const int file = mkstemps(path, 5);
    for (int m = 0; m < count; m++)
        if (!CHECK(dts_model_parse(&models[m], "m", texts[(first + m) % MODELS], &err)))
            return false;
    close(file);
    const bool good =
        write_profile(models, count, path) && CHECK(dts_device_load(device, path, &err));
    printf("%s", good ? "" : err.text);
    unlink(path);
    return good;
}

static void end(struct dts_model *models, int count, struct dts_device *device)
{
    for (int m = 0; m < count; m++)
        dts_model_free(&models[m]);
    dts_device_free(device);
}

static void models_without_dense_weights_leave_no_update(void)
{
    for (int m = 1; m < MODELS; m++) {
        struct dts_model model;
        struct dts_device device;
        if (!make(m, 1, &model, &device))
            continue;
        CHECK_INT(device.profile.update_count, 0);
        check_update(&model, &device, "sgd", 1);
        end(&model, 1, &device);
    }
}

static void others_keep_theirs_beside_them(void)
{
    struct dts_model models[MODELS];
    struct dts_device device;
    if (!make(0, MODELS, models, &device))
        return;
    CHECK_STRING(device.profile.dtsim, dts_version());
    // where it is the one of the moment it has moved
    CHECK((device.profile.clock_hz > 0) == (dts_processor_clock_hz(NULL, NULL) > 0));
    CHECK_INT(device.profile.update_count, OPTIMIZERS);
    CHECK_NEAR(device.profile.updates[0].parameters, 8 * 4 + 4, 0);
    check_update(&models[0], &device, "sgd", updates_s[0]);
    check_update(&models[0], &device, "adam", updates_s[1]);
    // the batch names nine rows of eight values
    check_update(&models[1], &device, "sgd", updates_s[0] * 9 * 8 / 36);
    check_update(&models[2], &device, "sgd", 0);
    end(models, MODELS, &device);
}

static void updates_of_many_models_are_read(void)
{
    struct dts_model models[MANY];
    struct dts_device device;
    if (!make(0, MANY, models, &device))
        return;
    CHECK_INT(device.profile.update_count, (MANY + MODELS - 1) / MODELS * OPTIMIZERS);
    end(models, MANY, &device);
}

TESTS(TEST(models_without_dense_weights_leave_no_update), TEST(others_keep_theirs_beside_them),
      TEST(updates_of_many_models_are_read))

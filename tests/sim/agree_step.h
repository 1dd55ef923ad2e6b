/* agree_step.h -- points of scenario files in a test: opened as the program opens them, asked
 * whole (dts_estimate), or only built, for both engines to walk.
 */
#ifndef DTS_TESTS_AGREE_STEP_H
#define DTS_TESTS_AGREE_STEP_H

#include <stdlib.h>
#include <string.h>

#include "answer/estimate.h"
#include "answer/scene.h"
#include "check.h"
#include "sim/engine.h"

#ifndef DTS_SOURCE
#define DTS_SOURCE "." // where the source tree is
#endif

enum { AGREE_SETS = 8 }; // room for settings in tests

/* Open a scenario of this source tree with settings, "path=value", ended by NULL. */
static inline bool agree_open(const char *scenario, const char *const *sets,
                              struct dts_scene *scene)
{
    char file[300];
    struct dts_changes changes = {0};
    struct dts_error err = {0};
    snprintf(file, sizeof(file), DTS_SOURCE "/%s", scenario);
    for (int i = 0; sets != NULL && sets[i] != NULL; i++) {
        const size_t path = strcspn(sets[i], "=");
        dts_changes_add_set(&changes, sets[i], path, sets[i] + path + 1);
    }
    const bool ok = dts_scene_open(&changes, file, 0, scene, &err);
    dts_changes_free(&changes);
    CHECK_STRING(err.text, "");
    return ok;
}

/* The answer for one strategy and number of devices; its total is NAN on failure. */
static inline struct dts_result agree_ask(const char *scenario, const char *const *sets,
                                          const char *strategy, int devices)
{
    struct dts_scene scene;
    struct dts_result result;
    dts_result_init(&result);
    if (!agree_open(scenario, sets, &scene))
        return result;
    struct dts_question question = {.scenario = &scene.scenario,
                                    .platform = &scene.platform,
                                    .device = &scene.device,
                                    .kinds = scene.kinds,
                                    .devices = devices,
                                    .setting = ""};
    for (int i = 0; i < scene.scenario.strategy_count; i++)
        if (strcmp(scene.scenario.strategies[i].name, strategy) == 0)
            question.strategy = &scene.scenario.strategies[i];
    if (CHECK(question.strategy != NULL)) {
        dts_estimate(&question, &result);
        CHECK_STRING(result.error.text, "");
    }
    dts_scene_close(&scene);
    return result;
}

/* A point's plans and the ranks that it needs, ready to be simulated. */
struct agree_point {
    struct dts_machine machine;
    struct dts_point point;
    struct dts_model_seconds seconds;
    struct dts_job job;
    int *endpoints;
    struct dts_simulation simulation;
};

static inline bool agree_point_build(const struct dts_scene *scene, int strategy,
                                     struct agree_point *p)
{
    const struct dts_scenario *s = &scene->scenario;
    const struct dts_platform *platform = &scene->platform;
    struct dts_error err = {0};
    struct dts_ranks_needed needed;
    struct dts_placement placement = {.kind = s->placing.kind};
    *p = (struct agree_point){0};
    p->machine =
        (struct dts_machine){.nodes = platform->nodes,
                             .devices_per_node = platform->devices_per_node,
                             .device_memory_bytes = scene->device.memory_bytes,
                             .host_memory_bytes_per_s = platform->host_memory_bytes_per_s};
    p->point = (struct dts_point){.scenario = s,
                                  .strategy = &s->strategies[strategy],
                                  .device = &scene->device,
                                  .machine = &p->machine,
                                  .devices = s->devices[0],
                                  .seconds = &p->seconds};
    bool ok = dts_point_batch(&p->point, &err);
    const struct dts_samples samples = dts_point_samples(&p->point);
    ok = ok &&
         dts_model_seconds(&s->model, &scene->device, &s->stack, s->optimizer, s->precision,
                           &samples, &p->seconds, &err) &&
         dts_build(&p->point, &p->job, &err) &&
         p->point.strategy->kind->ranks_needed(&p->point, &needed, &err) &&
         dts_place(platform, &placement, needed.devices, needed.hosts, needed.apart,
                   &p->endpoints, &err);
    CHECK_STRING(err.text, "");
    const struct dts_strategy_kind *kind = p->point.strategy->kind;
    if (ok && kind->device_of != NULL) {
        int *by_device = p->endpoints;
        p->endpoints = calloc((size_t)p->job.ranks, sizeof(int));
        for (int rank = 0; rank < p->job.ranks; rank++)
            p->endpoints[rank] = by_device[kind->device_of(&p->point, rank)];
        free(by_device);
    }
    p->simulation =
        (struct dts_simulation){.job = &p->job,
                                .net = &platform->net,
                                .endpoint = p->endpoints,
                                .steps = 3,
                                .slowdown = s->stack.slowdown,
                                .reduce_bytes_per_s = scene->device.memory_bytes_per_s / 3};
    return ok;
}

static inline void agree_point_free(struct agree_point *p)
{
    dts_job_free(&p->job);
    dts_model_seconds_free(&p->seconds);
    free(p->endpoints);
}

#endif

/* point.h -- a small network on a small machine, to build jobs from: what tests of strategies
 * share.
 */
#ifndef DTS_TESTS_POINT_H
#define DTS_TESTS_POINT_H

#include <stdlib.h>

#include "check.h"
#include "train/strategy/build.h"

enum { LAYERS = 4, PARAMETERS = 12345 + 130 + 4096 };

/* A network of 4 layers, of which number 1 has no weights, on a machine with 4 devices in each
 * of 6 nodes. `use` fills it with a strategy. */
struct fixture {
    struct dts_layer layers[LAYERS];
    struct dts_scenario scenario;
    struct dts_stack stack;
    struct dts_machine machine;
    struct dts_model_seconds seconds;
    double forward[LAYERS], backward[LAYERS];
    struct dts_strategy strategy;
    struct dts_point point;
    struct dts_doc *doc;
};

static inline void set_up(struct fixture *f)
{
    static const size_t counts[LAYERS] = {12345, 0, 130, 4096};
    static const char *const names[LAYERS] = {"conv", "relu", "norm", "linear"};
    *f = (struct fixture){0};
    for (int l = 0; l < LAYERS; l++) {
        f->layers[l] = (struct dts_layer){.name = names[l], .tied_to = -1, .shares = -1};
        f->layers[l].param_count = counts[l] > 0;
        f->layers[l].params[0] = (struct dts_param){.name = "weight", .count = counts[l]};
        f->forward[l] = 1e-3 * (l + 1);
        f->backward[l] = 2e-3 * (l + 1);
    }
    f->scenario = (struct dts_scenario){
        .name = "test",
        .model = {.name = "small",
                  .layers = f->layers,
                  .layer_count = LAYERS,
                  .parameters = PARAMETERS,
                  .saved_values = 1000},
        .optimizer = dts_optimizer_find("momentum"),
        .precision = DTS_FP32,
        .placing = {.kind = "linear"},
        .batch_per_device = 8,
        .accumulate = 1,
    };
    f->stack = (struct dts_stack){.name = "test", .algorithm = "ring", .channels = 1};
    f->machine = (struct dts_machine){
        .nodes = 6,
        .devices_per_node = 4,
        .device_memory_bytes = 1e9,
        .host_memory_bytes_per_s = 1e10,
    };
    f->seconds = (struct dts_model_seconds){
        .forward = f->forward, .backward = f->backward, .update = 5e-4, .fixed = 1e-3};
    f->point = (struct dts_point){
        .scenario = &f->scenario,
        .strategy = &f->strategy,
        .machine = &f->machine,
        .seconds = &f->seconds,
        .batch = 8,
    };
}

static inline void forget(struct fixture *f)
{
    free(f->strategy.self);
    f->strategy.self = NULL;
    dts_doc_free(f->doc);
    f->doc = NULL;
}

static inline bool use(struct fixture *f, const char *kind, const char *json,
                       struct dts_error *err)
{
    forget(f);
    f->strategy.kind = dts_strategy_find(kind);
    f->strategy.name = kind;
    f->strategy.self = calloc(1, f->strategy.kind->size);
    if (!dts_doc_parse(&f->doc, "test", json, err))
        return false;
    struct dts_cfg top = dts_doc_top(f->doc);
    return dts_cfg_read(&top, f->strategy.kind->fields, f->strategy.self, err) &&
           f->strategy.kind->prepare(f->strategy.self, &f->stack, &top, err);
}

/* Each device sees samples of its own, in one microbatch. */
static inline void set_devices(struct fixture *f, int devices)
{
    f->point.devices = f->point.replicas = devices;
    f->point.microbatches = f->scenario.accumulate;
}

static inline bool build(struct fixture *f, int devices, struct dts_job *job,
                         struct dts_error *err)
{
    f->point.devices = devices;
    return dts_point_batch(&f->point, err) && dts_build(&f->point, job, err);
}

/* A job that must be built; ends the program's test early by an empty job otherwise. */
static inline struct dts_job job_of(struct fixture *f, const char *kind, const char *json,
                                    int devices)
{
    struct dts_error err = {0};
    struct dts_job job = {0};
    bool ok = use(f, kind, json, &err) && build(f, devices, &job, &err);
    CHECK(ok);
    if (!ok)
        printf("%s %s: %s\n", kind, json, err.text);
    return job;
}

static inline int find_op(const struct dts_plan *plan, const char *label)
{
    for (int i = 0; i < plan->op_count; i++)
        if (strcmp(plan->ops[i].label, label) == 0)
            return i;
    printf("no operation \"%s\"\n", label);
    CHECK(false);
    return 0;
}

static inline bool waits(const struct dts_plan *plan, int op, int earlier, bool previous_step)
{
    for (int w = 0; w < plan->ops[op].wait_count; w++) {
        struct dts_wait wait = plan->waits[plan->ops[op].first_wait + w];
        if (wait.op == earlier && wait.previous_step == previous_step)
            return true;
    }
    return false;
}

#endif

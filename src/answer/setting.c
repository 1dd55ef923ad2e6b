/* setting.c -- what of a result follows from its plans before an engine runs them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/chosen.h"
#include "answer/setting.h"
#include "answer/validate/expected.h"
#include "base/mem.h"
#include "base/text.h"
#include "train/strategy/delay.h"
#include "train/strategy/synchrony.h"

bool dts_setting_noise(const struct dts_scenario *s)
{
    return s->noise && (s->stack.device_sigma > 0 || s->stack.step_sigma > 0);
}

/* Values of kernels, in devices and stacks: no collective alone rests on them. */
static bool is_of_kernels(const char *path)
{
    static const char *const starts[] = {
        "efficiency.conv", "efficiency.matmul", "noise.", "overlap.", "input.", "fixed_s"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (strncmp(path, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Where there is no room for all, the last says so. */
static void add_assumed(const struct dts_question *q, struct dts_result *result, const char *of,
                        const char *const *paths, int count)
{
    const bool kernels = !q->strategy->kind->trains_nothing;
    for (int i = 0; i < count && result->assumed_count < DTS_RESULT_ASSUMED; i++) {
        struct dts_text text = {0};
        if (!kernels && is_of_kernels(paths[i]))
            continue;
        bool more = result->assumed_count == DTS_RESULT_ASSUMED - 1;
        dts_text_add(&text, "%s: %s", of, more ? "and more" : paths[i]);
        dts_text_copy(result->assumed[result->assumed_count++], sizeof(result->assumed[0]),
                      dts_text_string(&text));
        dts_text_free(&text);
    }
}

/* What slows kernels down beside communication, and from one device and step to the next. */
static void fill_sources(const struct dts_question *q, bool slowed, struct dts_result *result)
{
    const struct dts_scenario *s = q->scenario;
    const bool calibrated = q->platform->communicating >= 0;
    const char *unknown = "the stack file, which has no source";
    const char *slowdown = calibrated                         ? "node.compute of the platform"
                           : s->stack.slowdown_source != NULL ? s->stack.slowdown_source
                                                              : unknown;
    const char *noise = s->stack.noise_source != NULL ? s->stack.noise_source : unknown;
    if (slowed)
        dts_text_copy(result->slowdown_source, sizeof(result->slowdown_source), slowdown);
    if (dts_setting_noise(s))
        dts_text_copy(result->noise_source, sizeof(result->noise_source), noise);
}

/* Which software moves messages, and whose word that is. */
static void fill_transports(const struct dts_question *q, struct dts_result *result)
{
    const struct dts_platform *platform = q->platform;
    const struct dts_transport *transports = platform->net.transports;
    const char *stack = q->scenario->stack.name;
    struct dts_text text = {0};
    for (int path = DTS_WITHIN; path <= DTS_BETWEEN; path++) {
        if (path == DTS_WITHIN ? platform->devices_per_node == 1 : platform->nodes == 1)
            continue;
        dts_text_add(&text, "%s%s %s (%s)", text.length > 0 ? ", " : "", transports[path].name,
                     path == DTS_WITHIN ? "in a node" : "between nodes",
                     platform->stack_moves[path] ? stack : platform->name);
        if (path == DTS_BETWEEN && platform->stack_between != NULL)
            dts_text_add(&text, ": %s of %s needs RDMA", platform->stack_between, stack);
    }
    if (text.length > 0)
        dts_text_copy(result->transports, sizeof(result->transports), dts_text_string(&text));
    dts_text_free(&text);
}

/* Nodes on which ranks sit, those of dedicated servers among them. */
static int nodes_of(const struct dts_question *q, const struct dts_built *built)
{
    const struct dts_platform *platform = q->platform;
    bool *used = dts_alloc((size_t)platform->nodes, sizeof(*used));
    int count = 0;
    for (int r = 0; r < built->job.ranks; r++) {
        const int node = dts_platform_node_of(platform, built->endpoints[r]);
        count += !used[node];
        used[node] = true;
    }
    free(used);
    return count;
}

/* Of all devices in use. */
static void add_devices(const struct dts_question *q, const struct dts_built *built,
                        struct dts_result *result)
{
    if (q->kinds == NULL)
        add_assumed(q, result, q->device->name, q->device->assumed_paths,
                    q->device->assumed_path_count);
    for (int k = 0; k < q->platform->kind_count; k++)
        if (built->used.ranks[k] > 0)
            add_assumed(q, result, q->kinds[k].name, q->kinds[k].assumed_paths,
                        q->kinds[k].assumed_path_count);
}

static void fill_axes(const struct dts_question *q, const struct dts_built *built,
                      struct dts_result *result)
{
    const struct dts_strategy_kind *kind = q->strategy->kind;
    struct dts_text text = {0};
    if (kind->describe == NULL)
        return;
    kind->describe(&built->point, &built->job, &text);
    dts_text_copy(result->axes, sizeof(result->axes), dts_text_string(&text));
    dts_text_free(&text);
}

/* A point that does not fit is predicted where the scenario says so (memory.check). */
static void doubt_memory(const struct dts_built *built, double total, struct dts_result *result)
{
    const double have = built->machine.device_memory_bytes;
    if (have > 0 && total > have)
        dts_result_doubt(result, "does not fit: %.1f GB needed on a device of %.1f GB",
                         total / 1e9, have / 1e9);
    const double host = result->memory.host_bytes, of_host = built->machine.host_memory_bytes;
    if (of_host > 0 && host > of_host)
        dts_result_doubt(result, "does not fit: %.1f GB needed of the host's %.1f GB%s",
                         host / 1e9, of_host / 1e9,
                         built->machine.host_memory_assumed ? " (ASSUMED)" : "");
}

double dts_setting_memory(const struct dts_built *built, struct dts_result *result)
{
    struct dts_memory memory;
    if (!dts_point_memory(&built->point, &memory, &result->error))
        return 0;
    result->memory.total_bytes = memory.total;
    result->memory.weights_bytes = memory.weights;
    result->memory.gradients_bytes = memory.gradients;
    result->memory.optimizer_bytes = memory.optimizer;
    result->memory.activations_bytes = memory.activations;
    if (memory.framework > 0)
        result->memory.framework_bytes = memory.framework;
    if (memory.unsharded > 0)
        result->memory.unsharded_bytes = memory.unsharded;
    if (memory.host > 0)
        result->memory.host_bytes = memory.host;
    if (memory.first_stage > 0)
        result->memory.first_stage_bytes = memory.first_stage;
    return memory.total;
}

/* What the seconds of kernels rest on. */
static void fill_seconds(const struct dts_question *q, const struct dts_built *built,
                         bool slowed, struct dts_result *result)
{
    dts_text_copy(result->basis, sizeof(result->basis), built->seconds.basis);
    dts_text_copy(result->outside, sizeof(result->outside), built->seconds.outside);
    dts_text_copy(result->doubt, sizeof(result->doubt), built->seconds.doubt);
    fill_sources(q, slowed, result);
}

void dts_setting_fill(const struct dts_question *q, const struct dts_built *built, bool slowed,
                      struct dts_result *result)
{
    const struct dts_scenario *s = q->scenario;
    const double total = dts_setting_memory(built, result);

    result->nodes = nodes_of(q, built);
    if (!q->strategy->kind->trains_nothing)
        result->global_batch = (int)dts_point_global_batch(&built->point);
    dts_chosen_find(&built->job.roles[0].plan, result->chosen, sizeof(result->chosen),
                    result->chosen_why, sizeof(result->chosen_why));
    if (!q->strategy->kind->trains_nothing)
        fill_seconds(q, built, slowed, result);
    doubt_memory(built, total, result);
    result->roofline = built->seconds.roofline;
    if (!result->roofline)
        dts_expected_error(result->class, result->devices, &result->error_p90_percent);
    dts_text_copy(result->unlike, sizeof(result->unlike), built->unlike.note);
    fill_axes(q, built, result);
    fill_transports(q, result);
    add_assumed(q, result, result->platform, q->platform->assumed, q->platform->assumed_count);
    add_devices(q, built, result);
    add_assumed(q, result, result->stack, s->stack.assumed, s->stack.assumed_count);
}

/* The values of each gradient but the first are so many updates late, or some of them are. */
void dts_setting_delay(const struct dts_point *point, struct dts_stale *stale)
{
    const struct dts_synchrony *how = dts_point_synchrony(point);
    const struct dts_late_values late = dts_delay_values(how, &point->scenario->model);
    const int delay = how->delay;
    if (delay == 0)
        return;
    const double share = (double)late.count / (double)late.all;
    *stale = (struct dts_stale){.mean = share * delay,
                                .median = share > 0.5 ? delay : 0,
                                .p95 = share > 0.05 ? delay : 0,
                                .most = delay,
                                .used = 1,
                                .partly = dts_delay_is_partial(how),
                                .bin_width = 1};
    stale->share[0] = 1 - share;
    stale->share[delay] = share;
}

/* Steps before the switch to local steps. */
static bool time_before(const struct dts_engine *engine,
                        const struct dts_simulation *simulation, int steps, double *step_s,
                        struct dts_error *err)
{
    enum { STEPS = 4 };
    struct dts_simulation before = *simulation;
    struct dts_timing timing;
    before.first_step = 0;
    before.steps = steps < STEPS ? steps : STEPS;
    if (!engine->run(&before, &timing, err))
        return false;
    *step_s = timing.step_s;
    dts_timing_free(&timing);
    return true;
}

bool dts_setting_meeting(const struct dts_point *point, const struct dts_engine *engine,
                         const struct dts_simulation *simulation, bool phases,
                         struct dts_result *result, struct dts_error *err)
{
    const struct dts_synchrony *how = dts_point_synchrony(point);
    result->local.steps = how->local_steps;
    result->local.after = how->local_after;
    result->local.outer = how->outer;
    result->local.pairs = how->pairs;
    if (how->local_after == 0)
        return true;
    if (phases)
        return dts_point_fail(point, err,
                              "%s: local_after counts steps of a training, and this one has "
                              "phases",
                              point->strategy->name);
    return time_before(engine, simulation, how->local_after, &result->before_s, err);
}

/* point.c -- what follows from the numbers of one point: batch, ranks of a node, memory. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "train/strategy/build.h"

enum { MOST_GLOBAL = 1 << 30, MOST_MICROBATCHES = 4096 }; // as of batch's keys

bool dts_point_fail(const struct dts_point *point, struct dts_error *err, const char *format,
                    ...)
{
    const struct dts_scenario *scenario = point->scenario;
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    return dts_fail(err, DTS_BAD_INPUT, "%s: devices %d: %s",
                    scenario->doc != NULL ? dts_doc_name(scenario->doc) : scenario->name,
                    point->devices, what);
}

static const char *words_of(const struct dts_point *point)
{
    return point->replicas == point->devices ? "devices" : "replicas";
}

/* As many microbatches as the step needs. */
static bool divide_by_micro(struct dts_point *point, struct dts_error *err)
{
    const struct dts_scenario *s = point->scenario;
    const long each = (long)point->replicas * s->batch_micro;
    const long count = s->batch_global / each;
    point->batch = s->batch_micro;
    if (s->batch_global % each != 0)
        return dts_point_fail(point, err,
                              "batch.global %d cannot be divided by %d %s x batch.micro %d "
                              "(remainder %ld)",
                              s->batch_global, point->replicas, words_of(point), s->batch_micro,
                              s->batch_global % each);
    if (count > MOST_MICROBATCHES)
        return dts_point_fail(point, err, "a step has %ld microbatches, must be at most %d",
                              count, MOST_MICROBATCHES);
    point->microbatches = (int)count;
    return true;
}

bool dts_point_batch(struct dts_point *point, struct dts_error *err)
{
    const struct dts_scenario *scenario = point->scenario;
    point->replicas = point->devices;
    point->microbatches = scenario->accumulate;
    if (point->strategy->kind->replicas != NULL &&
        !point->strategy->kind->replicas(point, &point->replicas, err))
        return false;
    if (scenario->batch_micro > 0)
        return divide_by_micro(point, err);
    if (scenario->batch_per_device > 0) {
        point->batch = scenario->batch_per_device;
        if (dts_point_global_batch(point) > MOST_GLOBAL)
            return dts_point_fail(point, err,
                                  "batch: a step of %d samples x %d microbatch%s on each is "
                                  "larger than %d samples",
                                  point->batch, scenario->accumulate,
                                  scenario->accumulate > 1 ? "es" : "", MOST_GLOBAL);
        return true;
    }
    long parts = (long)point->replicas * scenario->accumulate;
    if (scenario->batch_global % parts != 0)
        return dts_point_fail(point, err,
                              "batch.global %d cannot be divided by %d %s x %d "
                              "microbatch%s (remainder %ld)",
                              scenario->batch_global, point->replicas, words_of(point),
                              scenario->accumulate, scenario->accumulate > 1 ? "es" : "",
                              scenario->batch_global % parts);
    point->batch = (int)(scenario->batch_global / parts);
    return true;
}

double dts_point_global_batch(const struct dts_point *point)
{
    return (double)point->batch * point->microbatches * point->replicas;
}

/* Servers get gradients from one worker, too. */
struct dts_samples dts_point_samples(const struct dts_point *point)
{
    const struct dts_strategy_kind *kind = point->strategy->kind;
    struct dts_samples samples = {.batch = point->batch, .step = dts_point_global_batch(point)};
    if (kind->tables != NULL)
        samples.tables = kind->tables(point);
    samples.exchanged =
        point->devices > 1 || kind->updates_on_servers || samples.tables.elsewhere;
    return samples;
}

int dts_point_nodes(const struct dts_point *point)
{
    int each = point->machine->devices_per_node;
    return (point->devices + each - 1) / each;
}

int dts_point_per_node(const struct dts_point *point)
{
    int each = point->machine->devices_per_node;
    const char *placement = point->scenario->placing.kind;
    if (placement != NULL && strcmp(placement, "round_robin") == 0)
        return 1;
    if (point->devices <= each)
        return point->devices;
    return point->devices % each == 0 ? each : 1;
}

struct dts_members dts_point_members(const struct dts_point *point)
{
    return (struct dts_members){.group = {.stride = 1, .size = point->devices},
                                .per_node = dts_point_per_node(point),
                                .nodes = dts_point_nodes(point)};
}

bool dts_point_memory(const struct dts_point *point, struct dts_memory *memory,
                      struct dts_error *err)
{
    const struct dts_scenario *scenario = point->scenario;
    *memory = (struct dts_memory){0};
    if (point->strategy->kind->trains_nothing)
        return true;
    if (point->strategy->kind->memory != NULL)
        return point->strategy->kind->memory(point, memory, err);
    const bool lists = !dts_point_samples(point).exchanged; // else they are dense
    *memory = dts_model_memory(&scenario->model, scenario->optimizer, scenario->precision,
                               point->batch, lists);
    if (point->strategy->kind->updates_on_servers) {
        memory->total -= memory->optimizer;
        memory->optimizer = 0;
    }
    if (point->strategy->kind->rows_memory != NULL)
        point->strategy->kind->rows_memory(point, memory);
    if (point->strategy->kind->servers_memory == NULL)
        return true;
    memory->host_for = "weights and state that servers keep";
    return point->strategy->kind->servers_memory(point, &memory->host, err);
}

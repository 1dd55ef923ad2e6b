/* build.c -- a point becomes a job, if it can: devices, memory, then the strategy's plans. */
#include "train/strategy/build.h"

#include "base/text.h"
#include "train/strategy/lean.h"

static bool check_places(const struct dts_point *point, const struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    const struct dts_machine *machine = point->machine;
    long most = (long)machine->nodes * machine->devices_per_node;
    if (needed->devices > most)
        return dts_point_fail(point, err, "the platform has %ld (%d node%s x %d)", most,
                              machine->nodes, dts_plural(machine->nodes),
                              machine->devices_per_node);

    long nodes = (long)dts_point_nodes(point) + needed->apart;
    if (nodes > machine->nodes)
        return dts_point_fail(point, err,
                              "%s: %d node%s of workers and %d of servers are more than the %d "
                              "node%s of the platform",
                              point->strategy->name, dts_point_nodes(point),
                              dts_plural(dts_point_nodes(point)), needed->apart, machine->nodes,
                              dts_plural(machine->nodes));
    return true;
}

/* What servers keep, and what is offloaded. */
static bool check_host(const struct dts_point *point, const struct dts_memory *needed,
                       struct dts_error *err)
{
    const struct dts_machine *machine = point->machine;
    const double have = machine->host_memory_bytes;
    if (have <= 0 || needed->host <= have || point->scenario->memory_warns)
        return true;
    return dts_point_fail(point, err,
                          "does not fit: %.1f GB needed of the host's %.1f GB%s: %.1f GB too "
                          "much (%s on a node)",
                          needed->host / 1e9, have / 1e9,
                          machine->host_memory_assumed ? " (ASSUMED)" : "",
                          (needed->host - have) / 1e9, needed->host_for);
}

static bool check_memory(const struct dts_point *point, struct dts_error *err)
{
    struct dts_memory needed;
    if (!dts_point_memory(point, &needed, err))
        return false;
    double have = point->machine->device_memory_bytes;
    const char *name = point->machine->smallest_device;
    if (have <= 0 || needed.total <= have || point->scenario->memory_warns)
        return check_host(point, &needed, err);
    struct dts_text text = {0}, unsharded = {0};
    if (needed.unsharded > 0)
        dts_text_add(&unsharded, ", unsharded %.1f", needed.unsharded / 1e9);
    dts_lean_tell(point, &needed, have, &text);
    const bool ok = dts_point_fail(
        point, err,
        "does not fit: %.1f GB needed on a device of %.1f GB%s%s%s: %.1f GB "
        "too much (weights %.1f, gradients %.1f, optimizer %.1f, activations "
        "%.1f%s GB)%s",
        needed.total / 1e9, have / 1e9, name != NULL ? " (" : "", name != NULL ? name : "",
        name != NULL ? ", the smallest in use)" : "", (needed.total - have) / 1e9,
        needed.weights / 1e9, needed.gradients / 1e9, needed.optimizer / 1e9,
        needed.activations / 1e9, dts_text_string(&unsharded), dts_text_string(&text));
    dts_text_free(&unsharded);
    dts_text_free(&text);
    return ok;
}

bool dts_build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    struct dts_ranks_needed needed = {0};
    if (point->devices < 1)
        return dts_point_fail(point, err, "must be >= 1");
    if (point->batch < 1)
        return dts_point_fail(point, err, "a device has no sample: batch.global is too small");
    if (!point->strategy->kind->ranks_needed(point, &needed, err) ||
        !check_places(point, &needed, err) || !check_memory(point, err))
        return false;

    *job = (struct dts_job){0};
    if (!point->strategy->kind->build(point, job, err)) {
        dts_job_free(job);
        return false;
    }
    return true;
}

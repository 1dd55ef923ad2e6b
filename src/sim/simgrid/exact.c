/* exact.c -- the engine `exact` as the program sees it: a child process runs what needs SimGrid
 * (sim/exact/simulate.c), and its answer. The library is loaded before the fork, once for all
 * runs.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/check.h"
#include "sim/child.h"
#include "sim/engine.h"
#include "sim/settled.h"
#include "sim/simgrid/module.h"

static bool simulate(const struct dts_simulation *simulation, bool spread,
                     struct dts_timing *timing, struct dts_error *err)
{
    assert(simulation->message_slowdown == 0 && "dts_platform_suits() is asked before");
    if (simulation->net->links > DTS_EXACT_MOST_LINKS)
        return dts_fail(err, DTS_BAD_INPUT,
                        "engine: exact must have a network of at most %d links, has %d: take "
                        "fluid",
                        DTS_EXACT_MOST_LINKS, simulation->net->links);
    const struct dts_simgrid_module *simgrid = dts_simgrid_open(err);
    if (simgrid == NULL)
        return false;
    struct dts_exact_question question = {simulation, spread};
    struct dts_traffic traffic;
    dts_job_traffic(simulation->job, &traffic);
    dts_progress_begin(simulation->progress, "simulating messages",
                       traffic.messages * simulation->steps);
    struct dts_child child = {
        .what = "exact", .blame = DTS_SYSTEM, .run = simgrid->simulate, .argument = &question};
    void *result;
    size_t size;
    if (!dts_child_run(&child, &result, &size, err))
        return false;
    struct dts_exact_answer answer;
    memcpy(&answer, result, sizeof(answer));
    dts_timing_open(simulation->job, timing);
    timing->step_s = answer.step_s;
    timing->compute_s = answer.compute_s;
    timing->first_s = answer.first_s;
    timing->mean_s = answer.mean_s;
    timing->messages = answer.messages;
    size_t read = sizeof(answer);
    if (dts_job_serving(simulation->job) != NULL) {
        timing->staleness = dts_alloc(1, sizeof(*timing->staleness));
        memcpy(timing->staleness, (char *)result + read, sizeof(*timing->staleness));
        read += sizeof(*timing->staleness);
    }
    if (simulation->neighbour_count > 0) {
        const size_t bytes = (size_t)simulation->neighbour_count * sizeof(*timing->neighbours);
        timing->neighbours = dts_alloc(1, bytes);
        memcpy(timing->neighbours, (char *)result + read, bytes);
        read += bytes;
    }
    memcpy(timing->ops, (char *)result + read, size - read);
    free(result);
    return true;
}

static bool simulate_drawn(const struct dts_simulation *simulation, struct dts_timing *timing,
                           struct dts_error *err)
{
    return simulate(simulation, false, timing, err);
}

static bool simulate_spread(const struct dts_simulation *simulation, struct dts_timing *timing,
                            struct dts_error *err)
{
    return simulate(simulation, true, timing, err);
}

static const char unsettled[] = "exact: so many messages that few steps were simulated of "
                                "workers that do not wait for each "
                                "other: their pace may not be steady";

static bool run_drawn(const struct dts_simulation *simulation, struct dts_timing *timing,
                      struct dts_error *err)
{
    const struct dts_settled settled = {simulate_drawn, unsettled};
    return dts_settled_run(&settled, simulation, timing, err);
}

static bool run_spread(const struct dts_simulation *simulation, struct dts_timing *timing,
                       struct dts_error *err)
{
    const struct dts_settled settled = {simulate_spread, unsettled};
    return dts_settled_run(&settled, simulation, timing, err);
}

const struct dts_engine dts_engine_exact = {
    .name = "exact",
    .summary = "SimGrid runs every message of every rank; the truth for small cases",
    .serves = true,
    .shares = true,
    .messages_per_s = 1e5, // a ring on one busy core: docs/log/2026-11-speed.md (bench/scale)
    .run = run_drawn,
};

const struct dts_engine dts_engine_exact_spread = {
    .name = "exact_spread",
    .summary =
        "as exact, with each message on all paths of its pair, as flow and fluid have it",
    .serves = true,
    .shares = true,
    .messages_per_s = 1e5,
    .run = run_spread,
};

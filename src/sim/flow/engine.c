/* engine.c -- the engine `flow`: the loop of moments. */
#include <math.h>

#include "plan/check.h"
#include "sim/flow/wire.h"
#include "sim/settled.h"

/* All that is due at one moment, and then the rates. Dates that rounding alone tells apart are
 * one moment: else a ring of n would be settled n times a step. */
static void run_moments(struct dts_flow *f)
{
    const double moment = 1e-14; // of the time
    dts_flow_start(f);
    while (f->running > 0) {
        dts_flow_wire_settle(f);
        const double next_s = dts_flow_date_next(f);
        if (isinf(next_s))
            return;
        f->now_s = fmax(f->now_s, next_s);
        f->until_s = f->now_s * (1 + moment);
        dts_flow_dates_due(f);
    }
}

static bool run_once(const struct dts_simulation *simulation, struct dts_timing *timing,
                     struct dts_error *err)
{
    struct dts_traffic traffic;
    dts_job_traffic(simulation->job, &traffic);
    dts_progress_begin(simulation->progress, "simulating messages",
                       traffic.messages * simulation->steps);
    struct dts_flow_wire wire;
    struct dts_flow f = {.simulation = simulation,
                         .timing = timing,
                         .spread = true,
                         .wire_ops = &dts_flow_wire_ops,
                         .wire = &wire};
    dts_timing_open(simulation->job, timing);
    dts_flow_wire_open(&wire);
    dts_flow_open(&f);
    run_moments(&f);
    const bool ok = dts_flow_close(&f, "flow", err);
    dts_flow_wire_free(&wire);
    if (!ok)
        dts_timing_free(timing);
    return ok;
}

static const struct dts_settled settled = {
    run_once,
    "flow: so many messages that few steps were simulated of workers that do not wait "
    "for each other: their pace may not be steady"};

static bool run(const struct dts_simulation *simulation, struct dts_timing *timing,
                struct dts_error *err)
{
    if (!dts_settled_run(&settled, simulation, timing, err))
        return false;
    if (timing->limits == NULL &&
        dts_net_spreads(simulation->net, simulation->endpoint, simulation->job->ranks))
        timing->limits =
            "flow: it spreads a message over all paths of its pair; on one path, as "
            "exact draws it, communication takes up to twice as long";
    return true;
}

const struct dts_engine dts_engine_flow = {
    .name = "flow",
    .summary = "every message of every rank on links that they share max-min",
    .slows_messages = true,
    .serves = true,
    .shares = true,
    .messages_per_s = 1e6,
    .run = run,
};

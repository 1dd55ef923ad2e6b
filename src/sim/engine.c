/* engine.c -- the table of engines, and which of them "auto" takes. */
#include "sim/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/check.h"

extern const struct dts_engine dts_engine_exact;
extern const struct dts_engine dts_engine_exact_spread;
extern const struct dts_engine dts_engine_flow;
extern const struct dts_engine dts_engine_fluid;

const struct dts_engine *const dts_engines[] = {
    &dts_engine_exact, &dts_engine_exact_spread, &dts_engine_flow, &dts_engine_fluid, NULL,
};

const struct dts_engine *dts_engine_find(const char *name)
{
    for (int e = 0; dts_engines[e] != NULL; e++)
        if (strcmp(dts_engines[e]->name, name) == 0)
            return dts_engines[e];
    return NULL;
}

const char *dts_engine_name(int i)
{
    if (i == 0)
        return "auto";
    return dts_engines[i - 1] != NULL ? dts_engines[i - 1]->name : NULL;
}

void dts_simulation_settle(struct dts_simulation *simulation)
{
    const long period = dts_job_period(simulation->job);
    const long settled = dts_job_settled(simulation->job);
    const long periods = (simulation->steps - 1 + period - 1) / period;
    simulation->first_step = (settled + period - 1) / period * period + period - 1;
    if (period > 1)
        simulation->steps = (int)(1 + period * periods);
}

/* An operation of a rank costs about as much as a message, too. */
static double operations(const struct dts_job *job)
{
    double count = 0;
    for (int r = 0; r < job->role_count; r++)
        count += (double)job->roles[r].count * job->roles[r].plan.op_count;
    return count;
}

/* Fluid and flow spread a message over several paths, as networks do with its packets; that
 * makes messages of flow too dear to be the default. Exact draws one path for each. */
static bool spreads(const struct dts_simulation *s)
{
    return s->net != NULL && dts_net_spreads(s->net, s->endpoint, s->job->ranks);
}

/* Fluid knows neither workers that drift apart nor neighbours. */
static bool flow_alone_knows(const struct dts_simulation *simulation)
{
    return dts_job_drifts(simulation->job) || simulation->neighbour_count > 0;
}

const struct dts_engine *dts_engine_quick(const struct dts_simulation *simulation)
{
    return flow_alone_knows(simulation) ? &dts_engine_flow : &dts_engine_fluid;
}

const struct dts_engine *dts_engine_auto(const struct dts_simulation *simulation)
{
    // Where many flows share links, a message costs up to a hundred times what it costs on a
    // quiet network.
    const double seconds = 1, crowd = 100;
    const double most = seconds * dts_engine_flow.messages_per_s / crowd / simulation->steps;
    struct dts_traffic traffic;
    double events = operations(simulation->job);
    if (flow_alone_knows(simulation))
        return &dts_engine_flow;
    if (simulation->message_slowdown > 0)
        return &dts_engine_fluid;
    if (events < most) {
        dts_job_traffic(simulation->job, &traffic);
        events += traffic.messages;
    }
    return events < most && !spreads(simulation) ? &dts_engine_flow : &dts_engine_fluid;
}

struct dts_op_time dts_op_time_none(void)
{
    return (struct dts_op_time){-INFINITY, -INFINITY};
}

/* It starts when the last rank begins: who began before waits for that one, or has data under
 * way that is of no use without the last one's. So a start does not hang on which rank is ahead
 * of the others, and what is between start and end is communication, not waiting. */
void dts_op_time_add(struct dts_op_time *time, double begin_s, double end_s)
{
    time->start_s = fmax(time->start_s, begin_s);
    time->end_s = fmax(time->end_s, end_s);
}

void dts_timing_open(const struct dts_job *job, struct dts_timing *timing)
{
    *timing = (struct dts_timing){.period = dts_job_period(job)};
    timing->first_op = dts_alloc((size_t)job->role_count + 1, sizeof(*timing->first_op));
    for (int r = 0; r < job->role_count; r++)
        timing->first_op[r + 1] = timing->first_op[r] + job->roles[r].plan.op_count;
    timing->ops = dts_alloc((size_t)timing->first_op[job->role_count], sizeof(*timing->ops));
}

int dts_engine_last_step(const struct dts_simulation *simulation, const struct dts_when *when)
{
    const long end = simulation->first_step + simulation->steps;
    long step = (when->until > 0 && when->until < end ? when->until : end) - 1;
    if (when->every > 1)
        step -= (step % when->every - when->at + when->every) % when->every;
    return step < when->from || step < simulation->first_step
               ? -1
               : (int)(step - simulation->first_step);
}

/* Those of operations that do not act are NAN. */
static void count_from_begin(struct dts_op_time *time, int step, const double *ends_s)
{
    const double begin_s = step > 0 ? ends_s[step - 1] : 0;
    *time = step < 0 ? (struct dts_op_time){NAN, NAN}
                     : (struct dts_op_time){time->start_s - begin_s, time->end_s - begin_s};
}

void dts_timing_steps(struct dts_timing *timing, const struct dts_simulation *simulation,
                      const double *ends_s)
{
    const struct dts_job *job = simulation->job;
    const int steps = simulation->steps;
    const double last_s = ends_s[steps - 1];
    timing->first_s = steps > 1 ? ends_s[steps - 2] : 0;
    timing->step_s = steps > 1 ? (last_s - ends_s[0]) / (steps - 1) : last_s;
    timing->mean_s = last_s / steps;
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++)
            count_from_begin(&timing->ops[timing->first_op[r] + o],
                             dts_engine_last_step(simulation, &job->roles[r].plan.ops[o].when),
                             ends_s);
}

double dts_drifting_rate(const double *ends_s, int steps, int period, double until_s)
{
    int from = steps > 2 ? steps / 2 : 0, done = steps - 1;
    while (done > from + 1 && ends_s[done] > until_s)
        done--;
    if (period > 1 && ends_s[done] > until_s) { // too slow for that: of one step more or less
        while (done > 1 && ends_s[done] > until_s)
            done--;
        from = done / 2;
    }
    if (done - from > period)
        done -= (done - from) % period;
    return (done - from) / (ends_s[done] - ends_s[from]);
}

void dts_timing_free(struct dts_timing *timing)
{
    free(timing->staleness);
    free(timing->neighbours);
    timing->staleness = NULL;
    timing->neighbours = NULL;
    free(timing->first_op);
    free(timing->ops);
    timing->first_op = NULL;
    timing->ops = NULL;
}

/* meeting.c -- when the ranks of a point meet, in its answer. */
#include "answer/meeting.h"

#include "train/strategy/synchrony.h"

/* Each gradient but the first is so many updates late. */
void dts_meeting_delay(const struct dts_point *point, struct dts_stale *stale)
{
    const int delay = dts_point_synchrony(point)->delay;
    if (delay == 0)
        return;
    *stale = (struct dts_stale){
        .mean = delay, .median = delay, .p95 = delay, .most = delay, .used = 1, .bin_width = 1};
    stale->share[delay] = 1;
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

bool dts_meeting_fill(const struct dts_point *point, const struct dts_engine *engine,
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

/* settled.c -- twice as many steps, until the pace is steady. */
#include "sim/settled.h"

#include <math.h>

#include "plan/check.h"

/* How many steps there are messages for. */
static double most_steps(const struct dts_simulation *simulation)
{
    const double most_messages = 2e5, most = 1600;
    struct dts_traffic traffic;
    dts_job_traffic(simulation->job, &traffic);
    return fmin(most, most_messages / fmax(traffic.messages, 1));
}

/* Under a bound nothing happens until it is met, which nobody sees coming: all steps at once.
 */
static int first_steps(const struct dts_simulation *simulation, double most)
{
    const struct dts_role *servers = dts_job_serving(simulation->job);
    const bool bounded = servers != NULL && servers->serve.rule == &dts_serve_bounded;
    return (int)fmax(simulation->steps, bounded ? most : 0);
}

bool dts_settled_run(const struct dts_settled *engine, const struct dts_simulation *simulation,
                     struct dts_timing *timing, struct dts_error *err)
{
    const double few = 400, little = 0.005;
    if (!simulation->settles || !dts_job_drifts(simulation->job))
        return engine->run(simulation, timing, err);
    const double most = most_steps(simulation);
    struct dts_simulation more = *simulation;
    more.steps = first_steps(simulation, most);
    if (!engine->run(&more, timing, err))
        return false;
    while (2 * more.steps <= most) {
        struct dts_timing next;
        more.steps *= 2;
        if (!engine->run(&more, &next, err)) {
            dts_timing_free(timing);
            return false;
        }
        const double moved = fabs(next.step_s / timing->step_s - 1);
        dts_timing_free(timing);
        *timing = next;
        if (moved < little)
            return true;
    }
    if (more.steps < few)
        timing->limits = engine->unsettled;
    return true;
}

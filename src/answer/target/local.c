/* local.c -- local steps in an answer. */
#include "answer/target/local.h"

#include <math.h>
#include <string.h>

double dts_local_seconds(const struct dts_result *result, double steps)
{
    const double before = fmin(steps, result->local.after);
    return result->local.after > 0
               ? before * result->before_s + (steps - before) * result->step.total_s
               : steps * result->step.total_s;
}

/* By one local step of a rule that is linear in the gradient and keeps nothing. */
static bool is_in_step(const struct dts_scenario *scenario, const struct dts_result *result)
{
    return result->local.steps == 0 ||
           (result->local.steps == 1 && !result->local.outer && !result->local.pairs &&
            strcmp(scenario->optimizer->name, "sgd") == 0);
}

bool dts_local_steps_known(const struct dts_scenario *scenario, const struct dts_result *result,
                           struct dts_local_cost *cost, struct dts_text *doubt)
{
    const struct dts_convergence *profile = scenario->training.profile;
    *cost = (struct dts_local_cost){.steps = 1, .factor = 1, .within = 1};
    if (is_in_step(scenario, result))
        return true;
    const int known = profile != NULL ? profile->local_count : 0;
    const bool like = !result->local.pairs && result->local.after == 0 && known > 0;
    if (like && dts_local_cost_at(profile->local, known, result->local.steps,
                                  result->local.outer, result->global_batch, cost))
        return true;
    dts_text_add(doubt,
                 "how many steps the target needs with %s%s%d local step%s is not known: %s",
                 result->local.after > 0 ? "a switch and " : "",
                 result->local.pairs   ? "pairs and "
                 : result->local.outer ? "an outer update and "
                                       : "",
                 result->local.steps, dts_plural(result->local.steps),
                 known > 0 ? "the profile was not measured with them at such a batch"
                           : "no law is known, and the runs it rests on sum gradients in each "
                             "step");
    return false;
}

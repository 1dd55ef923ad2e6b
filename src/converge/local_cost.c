/* local_cost.c -- lines between measured costs. */
#include "converge/local_cost.h"

#include <math.h>
#include <stddef.h>

static double between(double a, double b, double part)
{
    return exp(log(a) + part * (log(b) - log(a)));
}

static bool is_near(const struct dts_local_cost *cost, double batch)
{
    const double most = 2 * (1 + 1e-12);
    return cost->batch == 0 || (batch <= most * cost->batch && cost->batch <= most * batch);
}

bool dts_local_cost_at(const struct dts_local_cost *known, int count, int steps, bool outer,
                       double batch, struct dts_local_cost *cost)
{
    const struct dts_local_cost in_step = {.steps = 1, .factor = 1, .within = 1};
    const struct dts_local_cost *before = outer ? NULL : &in_step, *next = NULL;
    *cost = in_step;
    for (int i = 0; i < count && next == NULL; i++) {
        if (known[i].outer != outer || !is_near(&known[i], batch))
            continue;
        if (known[i].steps >= steps)
            next = &known[i];
        else
            before = &known[i];
    }
    if (next == NULL)
        return steps == 1 && !outer;
    before = next->steps == steps ? next : before;
    if (before == NULL)
        return false;
    const double width = log(next->steps) - log(before->steps);
    const double part = width > 0 ? (log(steps) - log(before->steps)) / width : 1;
    *cost = (struct dts_local_cost){steps, between(before->factor, next->factor, part),
                                    between(before->within, next->within, part), outer,
                                    next->batch};
    return true;
}

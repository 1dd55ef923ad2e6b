#include "sim/bound.h"

static void count_all(const struct dts_job *job, struct dts_loader *loader)
{
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++)
            if (job->roles[r].plan.ops[o].kind != DTS_OP_CALL)
                dts_loader_count(loader, &job->roles[r], o);
}

static double compute_seconds(const struct dts_plan *plan)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].stream == DTS_COMPUTE)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

void dts_bound_find(const struct dts_simulation *simulation, struct dts_loader *loader,
                    struct dts_bound *bound)
{
    const struct dts_net *net = simulation->net;
    *bound = (struct dts_bound){.compute_s = compute_seconds(&simulation->job->roles[0].plan)};
    count_all(simulation->job, loader);

    const double *total = dts_loader_total(loader);
    int busiest = -1;
    for (int l = 0; l < net->links; l++) {
        double seconds = total[l] > 0 ? total[l] / net->ops->capacity(net->self, l) : 0;
        if (seconds > bound->link_s * (1 + 1e-9)) { // of equals the first
            bound->link_s = seconds;
            busiest = l;
        }
    }
    if (busiest < 0)
        return;
    bound->link_bytes = total[busiest];
    net->ops->link_name(net->self, busiest, bound->link, sizeof(bound->link));
    for (int l = 0; l < net->links; l++)
        bound->links_alike +=
            total[l] > 0 && total[l] / net->ops->capacity(net->self, l) >= 0.99 * bound->link_s;
}

bool dts_bound_check(const struct dts_bound *bound, const struct dts_timing *timing,
                     const char *engine, struct dts_error *err)
{
    // Several paths: exact draws a path for each message, fluid and this bound spread them
    // evenly, so a short simulation may differ from its expectation.
    const double slack = 1 - 1e-6;
    if (timing->step_s < bound->compute_s * slack)
        return dts_fail(
            err, DTS_SYSTEM,
            "%s: error of dtsim, please report: a step of %.9g s is shorter than its "
            "kernels, %.9g s",
            engine, timing->step_s, bound->compute_s);
    if (timing->step_s < bound->link_s * slack)
        return dts_fail(
            err, DTS_SYSTEM,
            "%s: error of dtsim, please report: a step of %.9g s is shorter than link "
            "%s needs, %.9g s",
            engine, timing->step_s, bound->link, bound->link_s);
    return true;
}

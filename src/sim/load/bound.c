/* bound.c -- the least time of a step: what its busiest link and its kernels need. */
#include "sim/load/bound.h"

#include <math.h>
#include <string.h>

static void count_all(struct dts_loader *loader)
{
    const struct dts_cohorts *cohorts = dts_loader_cohorts(loader);
    for (int c = 0; c < cohorts->count; c++) {
        const struct dts_plan *plan = &cohorts->all[c].role->plan;
        for (int o = 0; o < plan->op_count; o++)
            if (plan->ops[o].kind != DTS_OP_CALL)
                dts_loader_count(loader, c, o);
    }
}

/* Of a rank whose kernels take so many times as long. */
static double compute_seconds(const struct dts_plan *plan, double factor, bool always)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].stream == DTS_COMPUTE &&
            !(always && dts_when_share(&plan->ops[o].when) < 1))
            seconds += dts_when_share(&plan->ops[o].when) * plan->ops[o].call.seconds *
                       (dts_op_is_kernel(&plan->ops[o]) ? factor : 1);
    return seconds;
}

/* Of the host, which issues the calls of one step after those of the step before. */
static double issue_seconds(const struct dts_plan *plan)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].stream == DTS_HOST)
            seconds += dts_when_share(&plan->ops[o].when) * plan->ops[o].call.seconds;
    return seconds;
}

/* How much longer kernels of the slowest make a step. */
static double slowest(const struct dts_simulation *simulation, const struct dts_role *role)
{
    double factor = 0;
    for (int i = 0; i < role->count; i++)
        factor = fmax(factor, dts_compute_factor(simulation, role->first + i));
    return factor;
}

static bool crosses(const struct dts_simulation *s, int src, int dst, int link)
{
    int links[DTS_MAX_ROUTE];
    int hops = s->net->ops->route(s->net->self, s->endpoint[src], s->endpoint[dst], 0, links);
    for (int h = 0; h < hops; h++)
        if (links[h] == link)
            return true;
    return false;
}

/* Do all messages between this rank and ranks of role 0 on other nodes cross the link, in one
 * direction? The first and the last of them tell: what they have in common lies at the rank. */
static bool is_port_of(const struct dts_simulation *s, int rank, int link)
{
    const struct dts_role *role = &s->job->roles[0];
    const struct dts_net *net = s->net;
    int others = 0, to = 0, from = 0;
    for (int i = 0; i < role->count; i++) {
        int peer = role->first + (i % 2 == 0 ? i / 2 : role->count - 1 - i / 2);
        if (net->ops->transport(net->self, s->endpoint[rank], s->endpoint[peer]) == DTS_WITHIN)
            continue;
        others++;
        to += crosses(s, rank, peer, link);
        from += crosses(s, peer, rank, link);
        if (others == 2)
            break;
    }
    return others == 2 && (to == 2 || from == 2);
}

static bool is_servers_port(const struct dts_simulation *s, int link)
{
    for (int r = 0; r < s->job->role_count; r++)
        for (int i = 0; i < s->job->roles[r].count; i++)
            if (s->job->roles[r].kind == DTS_SERVER &&
                is_port_of(s, s->job->roles[r].first + i, link))
                return true;
    return false;
}

/* How long the messages of an operation are kept by the transport's limit on single flows: the
 * steps of a collective follow one another, those of an exchange are under way at once. */
static double flow_seconds(const struct dts_load *load, bool at_once, int by)
{
    double seconds = 0;
    for (int i = 0; i < load->cost_count; i++) {
        const double one_s = load->costs[i].repeat * load->costs[i].flow_s[by];
        seconds = at_once ? fmax(seconds, one_s) : seconds + one_s;
    }
    return seconds;
}

/* The stream that the limits on flows keep longest, where that is longer than any link needs.
 */
static void find_flow(const struct dts_simulation *simulation, struct dts_loader *loader,
                      struct dts_bound *bound)
{
    const struct dts_cohorts *cohorts = dts_loader_cohorts(loader);
    for (int c = 0; c < cohorts->count; c++) {
        const struct dts_plan *plan = &cohorts->all[c].role->plan;
        double seconds[2][DTS_STREAMS] = {{0}};
        for (int o = 0; o < plan->op_count; o++)
            for (int by = 0; by < 2 && plan->ops[o].kind != DTS_OP_CALL; by++)
                seconds[by][plan->ops[o].stream] +=
                    dts_when_share(&plan->ops[o].when) *
                    flow_seconds(dts_loader_count(loader, c, o),
                                 plan->ops[o].kind == DTS_OP_EXCHANGE, by);
        for (int by = 0; by < 2; by++)
            for (int s = 0; s < DTS_STREAMS; s++)
                if (seconds[by][s] > fmax(bound->link_s, bound->flow_s) * (1 + 1e-9)) {
                    bound->flow_s = seconds[by][s];
                    bound->flow = &simulation->net->transports[by];
                }
    }
}

/* The transport that lets a host do no more than this link carries; NULL: it is a cable. */
static const struct dts_transport *host_limit(const struct dts_net *net, int link)
{
    char name[64];
    long from, to;
    if (net->ops->ends == NULL || net->ops->ends(net->self, link, &from, &to))
        return NULL;
    net->ops->link_name(net->self, link, name, sizeof(name));
    return &net->transports[strstr(name, "host.within") != NULL ? DTS_WITHIN : DTS_BETWEEN];
}

/* Steps a second of workers that wait for nobody: by what acts in each step, since each counts
 * steps of its own. */
static double rates_of(const struct dts_simulation *simulation, const struct dts_role *role,
                       double issue_s)
{
    double rates = 0;
    for (int i = 0; i < role->count; i++) {
        const double factor = dts_compute_factor(simulation, role->first + i);
        rates += 1 / fmax(issue_s, compute_seconds(&role->plan, factor, true));
    }
    return rates;
}

/* The longest of the workers' kernels, or where they wait for nobody the harmonic mean of all,
 * and the mean of all workers on devices as the plan has them. */
static void find_compute(const struct dts_simulation *simulation, struct dts_bound *bound)
{
    const struct dts_job *job = simulation->job;
    const int workers = dts_job_workers(job);
    double rates = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        if (role->kind != DTS_WORKER)
            continue;
        const double issue_s = issue_seconds(&role->plan);
        const double slow_s = compute_seconds(&role->plan, slowest(simulation, role), false);
        bound->issue_s = fmax(bound->issue_s, issue_s);
        bound->compute_s = fmax(bound->compute_s, fmax(issue_s, slow_s));
        rates += rates_of(simulation, role, job->drifts ? 0 : issue_s);
        const double plain_s = fmax(issue_s, compute_seconds(&role->plan, 1, false));
        bound->plain_s += role->count == workers ? plain_s : plain_s * role->count / workers;
    }
    if (dts_job_drifts(job))
        bound->compute_s = workers / rates;
    bound->links_apart = job->drifts;
}

void dts_bound_find(const struct dts_simulation *simulation, struct dts_loader *loader,
                    struct dts_bound *bound)
{
    const struct dts_net *net = simulation->net;
    *bound = (struct dts_bound){.compute_s = 0};
    find_compute(simulation, bound);
    bound->drawn = dts_net_spreads(net, simulation->endpoint, simulation->job->ranks);
    count_all(loader);

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
    bound->host = host_limit(net, busiest);
    find_flow(simulation, loader, bound);
    bound->servers_port = is_servers_port(simulation, busiest);
    for (int l = 0; l < net->links; l++)
        bound->links_alike +=
            total[l] > 0 && total[l] / net->ops->capacity(net->self, l) >= 0.99 * bound->link_s;
}

bool dts_bound_check(const struct dts_bound *bound, const struct dts_timing *timing,
                     const char *engine, struct dts_error *err)
{
    const double slack = 1 - 1e-6;
    if (timing->step_s < bound->compute_s * slack)
        return dts_fail(
            err, DTS_SYSTEM,
            "%s: error of dtsim, please report: a step of %.9g s is shorter than its "
            "kernels, %.9g s",
            engine, timing->step_s, bound->compute_s);
    // A link may carry in one step what a member that is early sends of the next one, and have
    // less to do in that; from rest it cannot.
    double longest_s = fmax(timing->step_s, timing->mean_s);
    if (!bound->drawn && !bound->links_apart && longest_s < bound->link_s * slack)
        return dts_fail(
            err, DTS_SYSTEM,
            "%s: error of dtsim, please report: a step of %.9g s is shorter than link "
            "%s needs, %.9g s",
            engine, longest_s, bound->link, bound->link_s);
    return true;
}

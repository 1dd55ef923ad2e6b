/* bubble.c -- the plan again, on a network that takes no time. */
#include "answer/bubble.h"

#include <math.h>
#include <stddef.h>

static int one_path(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 1;
}

static double whole_share(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst, (void)path;
    return 1;
}

static int no_links(const void *self, int src, int dst, int path, int *links)
{
    (void)self, (void)src, (void)dst, (void)path, (void)links;
    return 0;
}

static double no_latency(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst, (void)path;
    return 0;
}

static int between(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return DTS_BETWEEN;
}

static const struct dts_net_ops free_ops = {
    .paths = one_path,
    .share = whole_share,
    .route = no_links,
    .latency = no_latency,
    .transport = between,
};

static int worker_roles(const struct dts_job *job)
{
    int count = 0;
    for (int r = 0; r < job->role_count; r++)
        count += job->roles[r].kind == DTS_WORKER;
    return count;
}

bool dts_bubble_split(const struct dts_simulation *simulation, struct dts_step *step,
                      struct dts_error *err)
{
    if (worker_roles(simulation->job) < 2 || dts_job_drifts(simulation->job))
        return true;
    const struct dts_net *real = simulation->net;
    const struct dts_net net = {.ops = &free_ops,
                                .devices = real->devices,
                                .nodes = real->nodes,
                                .devices_per_node = real->devices_per_node,
                                .transports = {{.efficiency = 1}, {.efficiency = 1}}};
    struct dts_simulation free = *simulation;
    struct dts_timing timing;
    free.net = &net;
    free.slowdown = free.message_slowdown = free.reduce_bytes_per_s = 0;
    free.loader = NULL;
    free.neighbour_count = 0; // where nothing is shared they change nothing
    if (!dts_engine_find("fluid")->run(&free, &timing, err))
        return false;
    const double idle_s = timing.step_s - timing.compute_s;
    step->bubble_s = fmin(step->exposed_comm_s, idle_s > 1e-9 * timing.step_s ? idle_s : 0);
    step->exposed_comm_s -= step->bubble_s;
    dts_timing_free(&timing);
    return true;
}

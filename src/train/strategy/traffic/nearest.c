/* nearest.c -- devices on a grid of three dimensions exchange with those beside them: stencils,
 * domain decomposition. */
#include "train/strategy/traffic/pattern.h"

enum { DIMENSIONS = 3 };

/* Sides as equal as the number can be cut, the longest last. */
static void cut(int devices, int side[DIMENSIONS])
{
    int rest = devices;
    for (int d = 0; d < DIMENSIONS - 1; d++) {
        const int left = DIMENSIONS - d;
        side[d] = 1;
        for (long s = 1, power = 1; power <= rest; s++) {
            if (rest % s == 0)
                side[d] = (int)s;
            power = 1;
            for (int i = 0; i < left; i++)
                power *= s + 1;
        }
        rest /= side[d];
    }
    side[DIMENSIONS - 1] = rest;
}

/* One dimension after the other, as such codes do: the edges go round corners by that. */
static void build(const struct dts_traffic_ask *ask, struct dts_job *job)
{
    int side[DIMENSIONS], stride = 1, messages = 0;
    const size_t bytes = 2 * ask->message_bytes; // to both sides
    cut(ask->devices, side);
    for (int d = 0; d < DIMENSIONS; d++)
        messages += side[d] > 2 ? 2 : side[d] - 1; // of a device that has most
    dts_traffic_roles(ask, 1, bytes, job);
    struct dts_plan *plan = &job->roles[0].plan;
    const int pace = dts_traffic_pace(ask, plan, (double)ask->message_bytes * messages);
    for (int d = 0; d < DIMENSIONS; stride *= side[d++]) {
        if (side[d] == 1)
            continue;
        dts_plan_collective(plan, DTS_DATA, "halo",
                            (struct dts_collective){
                                .algorithm = dts_coll_find("neighbors"),
                                .shape = {.kind = DTS_HALO,
                                          .size = side[d],
                                          .per_node = 1,
                                          .shards = 1,
                                          .pieces = 1},
                                .group = {.stride = stride, .size = side[d]},
                                .data = {.count = bytes},
                                .channels = 1,
                            });
        dts_plan_after_previous(plan, pace);
    }
}

const struct dts_traffic_shape dts_traffic_nearest = {
    .name = "nearest_neighbors",
    .summary = "a message to each of the devices beside it on a grid of three dimensions",
    .least = 2,
    .build = build,
};

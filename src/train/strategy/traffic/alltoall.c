/* alltoall.c -- each device has a message for each other one: transposes, spectral methods. */
#include "train/strategy/traffic/pattern.h"

static void build(const struct dts_traffic_ask *ask, struct dts_job *job)
{
    const size_t bytes = ask->message_bytes * (size_t)ask->devices;
    dts_traffic_roles(ask, 1, bytes, job);
    struct dts_plan *plan = &job->roles[0].plan;
    const int pace =
        dts_traffic_pace(ask, plan, (double)ask->message_bytes * (ask->devices - 1));
    dts_plan_collective(plan, DTS_DATA, "all-to-all",
                        (struct dts_collective){
                            .algorithm = dts_coll_find("pairwise"),
                            .shape = {.kind = DTS_ALLTOALL,
                                      .size = ask->devices,
                                      .per_node = 1,
                                      .shards = 1,
                                      .pieces = 1},
                            .group = {.stride = 1, .size = ask->devices},
                            .data = {.count = bytes},
                            .channels = 1,
                        });
    dts_plan_after_previous(plan, pace);
}

const struct dts_traffic_shape dts_traffic_alltoall = {
    .name = "all_to_all",
    .summary = "a message for each other device, one after another (pairwise exchange)",
    .least = 2,
    .build = build,
};

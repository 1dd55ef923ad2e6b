/* drawn.c -- a plan for each device: nothing that is drawn is alike for two of them. */
#include "train/strategy/traffic/drawn.h"

#include <stdlib.h>

#include "base/mem.h"

static struct dts_exchange with(int peer, bool send, size_t bytes, int round)
{
    return (struct dts_exchange){.send = send,
                                 .first_peer = peer,
                                 .peer_stride = 1,
                                 .peer_count = 1,
                                 .data = {.count = bytes},
                                 .shards = 1,
                                 .channel = round};
}

/* Streams of their own, so that nobody waits to receive while it sends. The first operations of
 * a plan are the paces of its rounds. */
static void add_round(const struct dts_traffic_ask *ask, int round, int rounds, const int *to,
                      const int *from, struct dts_job *job)
{
    for (int rank = 0; rank < ask->devices; rank++) {
        struct dts_plan *plan = &job->roles[rank].plan;
        if (to[rank] == rank)
            continue;
        dts_plan_exchange(plan, DTS_FORWARD_OUT, "send",
                          with(to[rank], true, ask->message_bytes, round));
        if (round > 0)
            dts_plan_after(plan, round - 1);
        else
            dts_plan_after_previous(plan, rounds - 1);
        dts_plan_exchange(plan, DTS_FORWARD_IN, "receive",
                          with(from[rank], false, ask->message_bytes, round));
    }
}

void dts_traffic_drawn(const struct dts_traffic_ask *ask, int rounds,
                       void (*draw)(const struct dts_traffic_ask *ask, int round, int *to),
                       struct dts_job *job)
{
    int *to = dts_alloc((size_t)ask->devices, sizeof(*to)),
        *from = dts_alloc((size_t)ask->devices, sizeof(*from));
    dts_traffic_roles(ask, ask->devices, ask->message_bytes, job);
    for (int rank = 0; rank < ask->devices; rank++)
        for (int round = 0; round < rounds; round++)
            dts_traffic_pace(ask, &job->roles[rank].plan, (double)ask->message_bytes);
    for (int round = 0; round < rounds; round++) {
        draw(ask, round, to);
        for (int rank = 0; rank < ask->devices; rank++)
            from[to[rank]] = rank;
        add_round(ask, round, rounds, to, from, job);
    }
    free(to);
    free(from);
}

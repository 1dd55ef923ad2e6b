/* permutation.c -- each device sends to one that is drawn once, as adversaries of networks do.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/strategy/traffic/drawn.h"

enum { PERMUTATION = 0x7065 }; // the stream of random numbers of this file

/* A circle through all devices in a shuffled order: nobody sends to itself. */
static void draw(const struct dts_traffic_ask *ask, int round, int *to)
{
    int *order = dts_alloc((size_t)ask->devices, sizeof(*order));
    (void)round;
    for (int i = 0; i < ask->devices; i++)
        order[i] = i;
    dts_shuffle(order, ask->devices, ask->seed, PERMUTATION);
    for (int i = 0; i < ask->devices; i++)
        to[order[i]] = order[(i + 1) % ask->devices];
    free(order);
}

static void build(const struct dts_traffic_ask *ask, struct dts_job *job)
{
    dts_traffic_drawn(ask, 1, draw, job);
}

const struct dts_traffic_shape dts_traffic_permutation = {
    .name = "permutation",
    .summary = "all messages of a device to one other, drawn once",
    .draws = true,
    .least = 2,
    .build = build,
};

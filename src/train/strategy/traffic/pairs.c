/* pairs.c -- devices meet two by two, drawn anew in each round: what a machine full of small
 * jobs looks like to the one that is asked. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/strategy/traffic/drawn.h"

enum { ROUNDS = 4, PAIRS = 0x7061 }; // the stream of random numbers of this file

/* Neighbours of a shuffled list meet; of an odd number one is idle. */
static void draw(const struct dts_traffic_ask *ask, int round, int *to)
{
    int *order = dts_alloc((size_t)ask->devices, sizeof(*order));
    for (int i = 0; i < ask->devices; i++)
        order[i] = to[i] = i;
    dts_shuffle(order, ask->devices, ask->seed, PAIRS + (uint64_t)round);
    for (int i = 0; i + 1 < ask->devices; i += 2) {
        to[order[i]] = order[i + 1];
        to[order[i + 1]] = order[i];
    }
    free(order);
}

static void build(const struct dts_traffic_ask *ask, struct dts_job *job)
{
    dts_traffic_drawn(ask, ROUNDS, draw, job);
}

const struct dts_traffic_shape dts_traffic_pairs = {
    .name = "random_pairs",
    .summary =
        "a message to a device that is drawn anew in each of four rounds, and one from it",
    .draws = true,
    .least = 2,
    .build = build,
};

/* seat.h -- what a worker has of the network and of a step's samples: for ranks that train for
 * real, which must know what the calls of their plan stand for.
 */
#ifndef DTS_TRAIN_STRATEGY_SEAT_H
#define DTS_TRAIN_STRATEGY_SEAT_H

#include "train/strategy/strategy.h"

struct dts_again; // train/model/again.h

/* Layers that follow one another; calls name it by their chunk. */
struct dts_seat_part {
    int first, last;      // layers of the model
    int slots;            // sets of activations; calls and exchanges name them from 0
    int first_microbatch; // of those of a step that pass through it

    /* Buffers of the plan with what goes over the cuts at both ends, of each slot one behind
     * the other: what enters, what leaves, the gradients of what entered, and of what left.
     * They follow one another in this order; this is the first. -1: nothing does. */
    int edges;

    struct dts_again *again; // what runs again before backward; owned; NULL: nothing does
    int again_count;
};

struct dts_model;

struct dts_seat {
    struct dts_seat_part *parts; // owned; by chunk
    int part_count;
    int replica; // whose samples it sees: 0 .. point->replicas - 1

    /* Where ranks have parts of the layers: the rank's part of the network, and which of how
     * many it is; they see the same samples. */
    struct dts_model *model; // owned (train/model/cut/part.h); NULL: the scenario's
    int member, members;     // 0 and 1: all of it
    int expert, experts;     // the same of ranks that have parts of the experts, and samples of
                             // their own
    int context, contexts; // and of ranks that have parts of the positions of the same samples

    /* No other rank has anything that this one has not: it has the whole network, and updates
     * all of it. */
    bool whole;

    /* Of ranks that are to have the same weights the first speaks for all; where they are
     * divided, each of its group. The same of the weights of experts. */
    bool speaks, speaks_of_experts;
};

/* The seat of a rank of workers. Fails (DTS_UNSUPPORTED) where ranks cannot train so, and says
 * why. */
bool dts_seat_find(const struct dts_point *point, int rank, struct dts_seat *seat,
                   struct dts_error *err);
void dts_seat_free(struct dts_seat *seat);

#endif

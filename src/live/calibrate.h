/* calibrate.h -- measures how fast the ranks that mpirun started exchange messages, sum and
 * copy, and how much they slow one another down.
 */
#ifndef DTS_LIVE_CALIBRATE_H
#define DTS_LIVE_CALIBRATE_H

#include "live/wire.h"

enum { DTS_CALIBRATE_SIZES = 12, DTS_CALIBRATE_TOGETHER = 64 };

/* 1 byte to 4 MiB. */
extern const double dts_calibrate_bytes[DTS_CALIBRATE_SIZES];
extern const double dts_calibrate_star_bytes; // of each message into one rank

/* Messages between ranks of one node, or between ranks of different nodes. Seconds by size. */
struct dts_link_seconds {
    bool measured;
    double one_way_s[DTS_CALIBRATE_SIZES]; // half of there and back, one pair of ranks
    double two_way_s[DTS_CALIBRATE_SIZES]; // both of one pair send at once
    double all_s[DTS_CALIBRATE_SIZES];     // every rank sends to one and receives from another
    double sum_s_per_byte;                 // how much longer all_s is if arrivals are added
    double incast_bytes_per_s; // into one rank, from all others together; 0: not measured
    double star_bytes_per_s;   // the same, while it sends as much to all of them

    /* How sure all_s is, as a share of it: twice the standard error, of small messages or of
     * large ones, whichever is less sure; by the sweeps over all sizes that it took. */
    double spread;
    int sweeps;
};

struct dts_calibration {
    int ranks, nodes, per_node; // per_node 1: nodes have different numbers of ranks
    struct dts_link_seconds within, between;
    double sum_bytes_per_s;  // of fp32 that one rank alone adds in memory
    double copy_bytes_per_s; // memory to memory, counted once

    /* Kernels take together[n - 1] times as long while n ranks of a node compute; together[0]
     * is 1. While all of them compute and exchange messages, kernels take 1 + communicating
     * times as long, and messages 1 + messages times. */
    double together[DTS_CALIBRATE_TOGETHER];
    int together_count;
    double communicating, messages;
};

/* Messages are measured again and again until their spread is below this. */
#define DTS_CALIBRATE_SPREAD 0.1

/* Called on rank 0 before each part is measured, and before each sweep of it. */
struct dts_calibrate_listener {
    void (*say)(void *self, const char *what, int sweep); // sweep 0: there is one
    void *self;
};

/* Every rank calls it and gets the answer, after some ten seconds; on slow or busy machines
 * after a minute or two. */
bool dts_calibrate(const struct dts_wire *wire, const struct dts_calibrate_listener *listener,
                   struct dts_calibration *out, struct dts_error *err);

#endif

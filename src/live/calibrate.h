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

/* Every rank calls it and gets the answer, on slow networks after some ten seconds. `say` is
 * called on rank 0 with the name of each part before it is measured; it may be NULL. */
bool dts_calibrate(const struct dts_wire *wire, void (*say)(const char *what),
                   struct dts_calibration *out, struct dts_error *err);

#endif

/* load.h -- what an operation puts on the links, without simulating its messages.
 *
 * A collective is steps of a few classes (plan/coll.h, `like`). The steps of a class put the
 * same bytes on the same links, so one of them is routed, message by message, and counted as
 * often as it is repeated. All groups into which a role divides run at once and are counted
 * together. A message of transport k needs
 *
 *     its sender       stay = (alpha if it blocks) + load_k
 *     its way          hop  = alpha + load_k + the time to sum it
 *     load_k           = max over the links that messages of transport k use of bytes /
 * capacity
 *
 * and r repetitions of a step take the longest of staying at one sender r times, and of walking
 * r hops with the messages: in a ring of like hops each step pays alpha and sum, in a ring with
 * one slow hop that hop's wire sets the pace, and alpha that does not block is paid once a lap.
 */
#ifndef DTS_SIM_LOAD_H
#define DTS_SIM_LOAD_H

#include "sim/engine.h"

struct dts_link_load {
    int link;
    double weight; // bytes on the link / bytes of the largest message
};

/* One class of steps. */
struct dts_phase {
    int repeat;
    double bytes;                      // of the largest message, on the wire
    double stay_alpha_s[2], load_s[2]; // by transport
    double walk_s;                     // longest walk of `repeat` hops
    double hop_s, sum_s;               // longest hop; longest time to sum a member's messages
    double late_s;                     // longest alpha that only the receiver sees
    double most_bytes_per_s; // rate of the largest message that the caps on single flows allow
    struct dts_link_load *links; // the shared ones; owned. None when no other operation of the
    int link_count;              // job can be under way at the same time
};

/* All that one operation sends, of all ranks of its role. */
struct dts_load {
    struct dts_phase *phases; // owned
    int phase_count;
    double share;  // of the sum of its phases: its period (period.h), when its stream is free
    double tail_s; // from then until the last member is done
    double messages;
};

/* Counts; keeps what it counted for operations that are alike. */
struct dts_loader;

struct dts_loader *dts_loader_new(const struct dts_simulation *simulation);
void dts_loader_free(struct dts_loader *loader);

/* The load of a collective or of one side of an exchange: the sender's has the links and the
 * latency that blocks, the receiver's only late_s and sum_s.
 * Valid until the loader is freed. */
const struct dts_load *dts_loader_count(struct dts_loader *loader, const struct dts_role *role,
                                        int op);

/* Bytes that the operations counted so far put on each link in one step of the job, by link. */
const double *dts_loader_total(const struct dts_loader *loader);

/* Seconds of one repetition when its messages run at `rate` of their rate alone (0 to 1]. */
double dts_phase_stay_s(const struct dts_phase *phase, double rate); // of a sender alone
double dts_phase_seconds(const struct dts_phase *phase, double rate);

#endif

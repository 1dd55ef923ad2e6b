/* step_cost.h -- how long a step takes, from its traffic and the bytes of its messages.
 *
 * A message of transport k needs
 *
 *     its sender       stay = (alpha if it blocks) + load_k
 *     its way          hop  = alpha + load_k + the time to sum it
 *     load_k           = max over the links that messages of transport k use of
 *                        bytes / capacity
 *
 * and r repetitions of a step take the longest of staying at one sender r times, and of walking
 * r hops with the messages: in a ring of like hops each step pays alpha and sum, in a ring with
 * one slow hop that hop's wire sets the pace, and alpha that does not block is paid once a lap.
 */
#ifndef DTS_SIM_LOAD_STEP_COST_H
#define DTS_SIM_LOAD_STEP_COST_H

#include "sim/load/step_traffic.h"

/* The messages of an exchange between one cohort and another that use one transport. */
struct dts_far_side {
    int cohort; // the other one
    int transport;
};

/* Of one class of steps. */
struct dts_step_cost {
    int repeat;
    double bytes;                      // of the largest message, on the wire
    double stay_alpha_s[2], load_s[2]; // by transport
    int worst_link; // that the longest of load_s is of; -1: it is of a cap on single flows

    /* By transport: load_s where its cap on single messages is what load_s is, else 0. */
    double flow_s[2];

    double walk_s;       // longest walk of `repeat` hops
    double hop_s, sum_s; // longest hop; longest time to sum a member's messages
    double late_s;       // longest alpha that only the receiver sees
    double before_s;     // of an exchange: alpha that its senders pay before they use the wire
    bool waits;          // messages wait for the receiver before they use the wire
    double most_bytes_per_s; // rate of the largest message that the caps on single flows allow
    struct dts_link_load *links; // the shared ones that the traffic has; owned
    int link_count;

    /* Those of them that can be full first (link_classes.h); owned. */
    struct dts_link_load *narrow;
    int narrow_count;
};

/* The cost of a step that is repeated, with so many bytes in its largest message, over these
 * transports. */
void dts_step_cost_fill(const struct dts_transport transports[2],
                        const struct dts_step_traffic *traffic, const struct dts_role *role,
                        double bytes, int repeat, struct dts_step_cost *cost);

/* Seconds of one repetition when its messages run at `rate` of their rate alone (0 to 1]. */
double dts_step_cost_stay_s(const struct dts_step_cost *cost, double rate); // of a sender alone
double dts_step_cost_seconds(const struct dts_step_cost *cost, double rate);

#endif

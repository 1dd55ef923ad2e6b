/* role_messages.h -- the messages between roles, each from both sides, and what they meet on
 * their way: that decides to which cohort (cohort.h) a rank belongs.
 */
#ifndef DTS_SIM_LOAD_ROLE_MESSAGES_H
#define DTS_SIM_LOAD_ROLE_MESSAGES_H

#include "sim/engine.h"

/* A message from the side of one of its ranks. */
struct dts_role_message {
    int rank, op, peer;
    int times;    // exchanges of the plan that are like this one
    int src, dst; // endpoints
    bool send;
    int transport;
    double latency_s, load_s; // load_s: of the busiest link, with a byte in each message
};

struct dts_role_messages {
    struct dts_role_message *all; // exchange after exchange, rank after rank; owned
    size_t count, room;
    bool one_path; // all of them have; else loads are not found
};

/* Finds the messages of the exchanges of the job; those of exchanges that are alike once. */
void dts_role_messages_find(const struct dts_simulation *simulation,
                            struct dts_role_messages *messages);
void dts_role_messages_free(struct dts_role_messages *messages); // leaves it empty

/* How many dts_role_messages_find() finds. */
double dts_role_messages_count(const struct dts_job *job);

/* Do two exchanges of a role differ in their data only? */
bool dts_exchange_same(const struct dts_exchange *x, const struct dts_exchange *y);

#endif

/* notices.h -- the messages between roles, each from both sides, and what they meet on their
 * way: what cohorts (cohort.h) are told apart by.
 */
#ifndef DTS_SIM_LOAD_NOTICES_H
#define DTS_SIM_LOAD_NOTICES_H

#include "sim/engine.h"

/* A message from the side of one of its ranks. */
struct dts_notice {
    int rank, op, peer;
    int times;    // exchanges of the plan that are like this one
    int src, dst; // endpoints
    bool send;
    int transport;
    double latency_s, load_s; // load_s: of the busiest link, with a byte in each message
};

struct dts_notices {
    struct dts_notice *all; // exchange after exchange, rank after rank; owned
    size_t count, room;
    bool one_path; // all of them have; else loads are not found
};

/* Those of the exchanges of the job, of exchanges that are alike once. */
void dts_notices_take(const struct dts_simulation *simulation, struct dts_notices *notices);
void dts_notices_free(struct dts_notices *notices); // leaves it empty

/* How many there will be. */
double dts_notices_count(const struct dts_job *job);

/* Do two exchanges of a role differ in their data only? */
bool dts_exchange_same(const struct dts_exchange *x, const struct dts_exchange *y);

#endif

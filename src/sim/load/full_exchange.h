/* full_exchange.h -- an exchange of all with all: every rank of a cohort with every rank of
 * another one, as workers do with parameter servers; counted without a list of its messages,
 * of which N nodes have N x N.
 *
 * Ranks whose NICs hang at one place of the topology and that make a peer use the same of its
 * NICs are of one spot (net.h). What a rank's own node carries is counted rank by rank; what
 * lies between two spots pair by pair of spots, with the routes of some ranks in place of all.
 */
#ifndef DTS_SIM_LOAD_FULL_EXCHANGE_H
#define DTS_SIM_LOAD_FULL_EXCHANGE_H

#include "sim/load/cohort.h"
#include "sim/load/step_traffic.h"

/* The ranks of one side; a message has the product of the parts of its two ranks. */
struct dts_full_side {
    int *ranks; // owned, as all below
    double *parts;
    int count;
};

struct dts_full_exchange {
    const struct dts_simulation *simulation;
    struct dts_full_side self, peer; // of one cohort each
    bool send, add;                  // as seen by self
    double largest;                  // elements of the largest message; 0: there is none
};

/* Is it one, and so large that its messages are not listed? */
bool dts_full_exchange_is(const struct dts_role *role, const struct dts_exchange *x);

/* Of a cohort with those peers that are of another one; to be freed. */
void dts_full_exchange_find(const struct dts_simulation *simulation,
                            const struct dts_cohorts *cohorts, int cohort, int peers,
                            const struct dts_exchange *x, struct dts_full_exchange *full);
void dts_full_exchange_free(struct dts_full_exchange *full);

/* The messages between ranks of one node. The caller owns them; returns how many. */
size_t dts_full_exchange_within(const struct dts_full_exchange *full,
                                struct dts_step_message **messages);

/* The traffic of all others. Returns how many messages they are; 0: traffic is empty. */
double dts_full_exchange_between(const struct dts_full_exchange *full,
                                 struct dts_router *router, const struct dts_traffic_wish *wish,
                                 struct dts_step_traffic *traffic);

#endif

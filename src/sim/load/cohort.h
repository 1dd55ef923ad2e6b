/* cohort.h -- ranks of one role that fare alike, for which fluid walks one.
 *
 * Workers that differ in nothing but their number are one cohort. A worker on the node of a
 * parameter server reaches that one without the network, is done with it sooner than the
 * others, and is ahead of them afterwards: it is of another cohort. What ranks send to other
 * roles and receive from them decides: over which transport, with what latency, over links with
 * how many such messages, to and from which cohort. Ranks that do a collective together are of
 * one cohort, also those that compute at unlike speeds (dts_simulation.compute_factor); others
 * of unlike speeds are not.
 */
#ifndef DTS_SIM_LOAD_COHORT_H
#define DTS_SIM_LOAD_COHORT_H

#include "sim/engine.h"

struct dts_cohort {
    const struct dts_role *role;
    int role_number;
    int count; // ranks
};

struct dts_cohorts {
    struct dts_cohort *all; // role after role; owned, as all below
    int count;
    int *of;     // by rank
    bool coarse; // ranks may be in one cohort that do not fare alike: there would be too many
};

/* At most some dozens, with at most so much to do: where ranks would fall into more, or are too
 * many to be looked at, coarser ones. */
void dts_cohorts_find(const struct dts_simulation *simulation, struct dts_cohorts *cohorts);
void dts_cohorts_free(struct dts_cohorts *cohorts); // leaves it empty

#endif

/* collect.h -- rank 0 gets the times at which every operation of every rank began and ended. */
#ifndef DTS_LIVE_COLLECT_H
#define DTS_LIVE_COLLECT_H

#include "live/live.h"

struct dts_live_all {
    int ranks, steps;
    bool from_rest; // as in struct dts_live
    struct dts_stale_counts
        *staleness;            // of all servers with a rule; owned; NULL: there are none
    double **begin_s, **end_s; // by rank, then as in struct dts_live_times; by rank 0's clock
};

/* Every rank calls it; `all` is filled on rank 0 and empty elsewhere. Messages there and back
 * first compare the clocks of ranks on other machines with that of rank 0. */
void dts_live_collect(const struct dts_live *live, const struct dts_live_rank *rank,
                      const struct dts_live_times *times, struct dts_live_all *all);
void dts_live_all_free(struct dts_live_all *all);

#endif

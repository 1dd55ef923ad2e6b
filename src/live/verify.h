/* verify.h -- checks that every message arrived, by numbers whose sums after a step are known.
 */
#ifndef DTS_LIVE_VERIFY_H
#define DTS_LIVE_VERIFY_H

#include "live/live.h"
#include "plan/check.h"

/* Fills the rank's buffers with whole numbers that depend on rank and element. */
void dts_live_fill(struct dts_live_rank *rank);

/* Fails unless, one step after dts_live_fill(), this rank has the exact sum over its ranks
 * wherever the plan sums: in all-reduces of a group, and in what it pulls from servers; and
 * wherever an all-to-all or a shift left what another rank had. Data that a step writes more
 * than once is not checked. *checked: the number of elements that were. */
bool dts_live_check(const struct dts_job *job, const struct dts_live_rank *rank,
                    size_t *checked, struct dts_error *err);

/* Fails unless this rank sent in the steps of a run what its plan says. *sent: in one step, in
 * the mean. */
bool dts_live_check_sent(const struct dts_live *live, const struct dts_live_rank *rank,
                         const struct dts_live_times *times, struct dts_traffic *sent,
                         struct dts_error *err);

/* Where not all operations act in each step: what this rank sends in one, in the mean over
 * those after which all repeats, by its plan. Else *sent stays. */
void dts_live_mean_sent(const struct dts_live *live, const struct dts_live_rank *rank,
                        struct dts_traffic *sent);

void dts_live_clear(struct dts_live_rank *rank); // all zero again

#endif

/* measured.h -- what all ranks measured becomes a comparison's side "measured". */
#ifndef DTS_TRAIN_LIVE_MEASURED_H
#define DTS_TRAIN_LIVE_MEASURED_H

#include "answer/live/comparison.h"
#include "live/collect.h"
#include "plan/run.h"
#include "sim/engine.h"

/* Steps skip .. all->steps - 1 are counted; skip >= 1. Fills steps, measured, mad and the
 * measured times of buckets, for which there is room. *timing is the step whose time is the
 * median, for a timeline; to be released with dts_timing_free(). Where operations act in some
 * steps only, as many steps as it takes until everything repeats count as one, by their mean,
 * and steps that are left over do not count. */
void dts_live_measured(const struct dts_job *job, const struct dts_live_all *all, int skip,
                       struct dts_comparison *comparison, struct dts_timing *timing);

/* When each gradient bucket of role 0 travels; times[0 .. most - 1]. */
void dts_live_bucket_times(const struct dts_job *job, const struct dts_timing *timing,
                           struct dts_bucket_times *times, int most);
int dts_live_bucket_count(const struct dts_job *job); // one more than the highest number

#endif

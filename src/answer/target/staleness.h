/* staleness.h -- how old the weights were that gradients were computed with, in a few numbers.
 */
#ifndef DTS_ANSWER_TARGET_STALENESS_H
#define DTS_ANSWER_TARGET_STALENESS_H

#include "answer/result.h"
#include "plan/plan.h"

/* NULL: the servers of the job wait for all, or it has none. */
void dts_stale_fill(const struct dts_stale_counts *staleness, struct dts_stale *stale);

/* Samples of one update: of all workers, of one of them where each gradient is an update, or of
 * those whose gradients count. */
double dts_stale_update_batch(const struct dts_job *job, const struct dts_result *result);

/* Does an update take gradients of the newest weights alone? Others are thrown away. */
bool dts_stale_in_time(const struct dts_job *job);

/* Is the learning rate of a late gradient smaller (late_rate)? */
bool dts_stale_adapted(const struct dts_job *job);

/* Is more than the rate of an update by a late gradient another one (late_momentum,
 * late_compensation)? */
bool dts_stale_corrected(const struct dts_job *job);

/* Half of the sum of the differences of shares: 0 of equal histograms, 1 of those that have
 * nothing in common. NAN where one of them is not known. */
double dts_stale_distance(const struct dts_stale *a, const struct dts_stale *b);

#endif

/* check.h -- runs a job without time: matches messages, finds deadlocks, counts bytes. */
#ifndef DTS_PLAN_CHECK_H
#define DTS_PLAN_CHECK_H

#include "base/error.h"
#include "plan/plan.h"

struct dts_traffic {
    double messages; // of all ranks in one step
    double bytes;    // sent by all ranks in one step
};

/* Count what a job sends in one step; by classes of steps, so that 27,648 ranks cost nothing.
 */
void dts_job_traffic(const struct dts_job *job, struct dts_traffic *traffic);

/* Walk one step of all ranks, matching every send with its receive: same bytes, nothing left,
 * no deadlock. For tests and small jobs: O(messages) time and memory. The failure says which
 * operation of which rank waits for what. */
bool dts_job_check(const struct dts_job *job, struct dts_error *err);

#endif

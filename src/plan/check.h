/* check.h -- runs a job without time: matches messages, finds deadlocks, counts bytes. */
#ifndef DTS_PLAN_CHECK_H
#define DTS_PLAN_CHECK_H

#include "base/error.h"
#include "plan/plan.h"

struct dts_traffic {
    double messages; // of all ranks in one step
    double bytes;    // sent by all ranks in one step
};

/* Count what a job sends in one step; by classes of steps (dts_coll.like), each counted once
 * for all collectives of one shape, so that 27,648 ranks cost little. Exact where chunks have
 * the same size, else to an element for each message. */
void dts_job_traffic(const struct dts_job *job, struct dts_traffic *traffic);

/* Can the operations mean something? Groups divide their role, algorithms can do their shapes,
 * peers are other ranks of the job, shards exist, waits are for operations of the plan.
 * O(ranks x exchanges). */
bool dts_job_check_ops(const struct dts_job *job, struct dts_error *err);

/* dts_job_check_ops(), then walk one step of all ranks, matching every send with its receive:
 * same bytes, nothing left, no deadlock. A send is taken to be complete when it is received, as
 * for large messages of MPI. For tests and small jobs: O(messages) time and memory. The failure
 * says which operation of which rank waits for what. */
bool dts_job_check(const struct dts_job *job, struct dts_error *err);

#endif

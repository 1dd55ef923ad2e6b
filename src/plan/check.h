/* check.h -- runs a job without time: matches messages, finds deadlocks, counts bytes. */
#ifndef DTS_PLAN_CHECK_H
#define DTS_PLAN_CHECK_H

#include "base/error.h"
#include "plan/plan.h"

struct dts_traffic {
    double messages; // of all ranks in one step, in the mean over all steps of a training
    double bytes;    // sent by all ranks in one step, in that mean
};

enum { DTS_TRAFFIC_ALONE = 1 << 18 };

/* Counts what a job sends in one step. One step of each class (dts_coll.like) stands for all
 * collectives of one shape, so that 27,648 ranks cost little. The count is exact where chunks
 * have the same size; else it may be off by an element for each message. Of less data than
 * chunks it is exact where members times steps are at most DTS_TRAFFIC_ALONE; beyond that it
 * may be several times too high where pieces are empty. */
void dts_job_traffic(const struct dts_job *job, struct dts_traffic *traffic);

/* What one rank sends in that step (plan/run.h), message by message as it walks; library:
 * collectives that are `by_library` count nothing. */
void dts_rank_traffic(const struct dts_role *role, int rank, bool library, long step,
                      struct dts_traffic *traffic);

/* Are the operations valid? Groups divide their role, algorithms can do their shapes,
 * peers are other ranks of the job, shards exist, waits are for operations of the plan. Takes
 * O(ranks x exchanges). */
bool dts_job_check_ops(const struct dts_job *job, struct dts_error *err);

/* Calls dts_job_check_ops(), then walks one step of all ranks, in which all operations act, and
 * matches every send with its receive: same bytes, no message left over, no deadlock. A send is
 * complete when it is received, as for large messages of MPI. For tests and small jobs: takes
 * O(messages) time and memory. The error says which operation of which rank waits for what. */
bool dts_job_check(const struct dts_job *job, struct dts_error *err);

#endif

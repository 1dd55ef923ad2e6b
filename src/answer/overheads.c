/* overheads.c -- the calls of plans. */
#include "answer/overheads.h"

#include <math.h>

#include "answer/split.h"

/* Time that the framework takes from the device. */
static bool is_overhead(const struct dts_op *op)
{
    const bool framework = op->call.pass == DTS_OVERHEAD || op->call.pass == DTS_DISPATCH;
    return dts_split_feeds(op) || (op->kind == DTS_OP_CALL && framework);
}

bool dts_overheads_any(const struct dts_job *job)
{
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++)
            if (is_overhead(&job->roles[r].plan.ops[o]) &&
                job->roles[r].plan.ops[o].call.seconds > 0)
                return true;
    return false;
}

void dts_overheads_drop(struct dts_job *job)
{
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++)
            if (is_overhead(&job->roles[r].plan.ops[o]))
                job->roles[r].plan.ops[o].call.seconds = 0;
}

double dts_overheads_step_s(const struct dts_job *job)
{
    double most = 0;
    for (int r = 0; r < job->role_count; r++) {
        double sums[DTS_STREAMS] = {0};
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind == DTS_OP_CALL)
                sums[op->stream] += op->call.seconds;
            most = fmax(most, sums[op->stream]);
        }
    }
    return most;
}

#include <stdlib.h>
#include "base/mem.h"
#include "plan/check.h"
#include "plan/run.h"
void dts_job_traffic(const struct dts_job *job, struct dts_traffic *t)
{
    *t = (struct dts_traffic){0};
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int o = 0; o < role->plan.op_count; o++) {
            const struct dts_op *op = &role->plan.ops[o];
            if (op->kind == DTS_OP_EXCHANGE && op->exchange.send)
                t->messages += (double)role->count * op->exchange.peer_count;
            if (op->kind == DTS_OP_COLLECTIVE)
                t->messages += (double)role->count * op->collective.algorithm->steps(&op->collective.shape);
        }
    }
}

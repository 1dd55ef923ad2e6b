/* job.h -- jobs made by hand, for tests of the engines. */
#ifndef DTS_TESTS_JOB_H
#define DTS_TESTS_JOB_H

#include "base/mem.h"
#include "plan/plan.h"

/* One role, and room for a second one. */
static inline struct dts_job workers(int ranks)
{
    struct dts_job job = {.role_count = 1, .ranks = ranks};
    job.roles = dts_alloc(2, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = ranks};
    return job;
}

static inline int add_kernel(struct dts_plan *plan, enum dts_pass pass, double seconds)
{
    return dts_plan_call(plan, DTS_COMPUTE, "kernel",
                         (struct dts_call){.pass = pass, .layer = -1, .seconds = seconds});
}

static inline int add_allreduce(struct dts_plan *plan, enum dts_stream stream, const char *name,
                                int size, size_t count)
{
    struct dts_collective c = {
        .algorithm = dts_coll_find(name),
        .shape = {.kind = DTS_ALLREDUCE, .size = size, .per_node = 1, .shards = 1, .pieces = 1},
        .group = {.stride = 1, .size = size},
        .channels = 1};
    c.data = (struct dts_span){dts_plan_buffer(plan, count, 4), 0, count};
    return dts_plan_collective(plan, stream, "all-reduce", c);
}

#endif

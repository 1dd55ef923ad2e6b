/* live_jobs.h -- jobs that tests walk over MPI. */
#ifndef DTS_TESTS_LIVE_JOBS_H
#define DTS_TESTS_LIVE_JOBS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"
#include "live/wire.h"
#include "plan/plan.h"

enum { ELEMENTS = 1003, BUCKETS = 2 };

/* One role, whose plan is empty. */
static inline struct dts_job job_of(int ranks)
{
    struct dts_job job = {.role_count = 1, .ranks = ranks};
    job.roles = dts_alloc(1, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = ranks};
    return job;
}

/* Workers push two buckets to servers and pull what these summed. */
static inline struct dts_job server_job(int workers, int servers, bool shards, size_t bytes)
{
    struct dts_job job = {.role_count = 2, .ranks = workers + servers};
    job.roles = dts_alloc(2, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = workers};
    job.roles[1] = (struct dts_role){
        .name = "server", .kind = DTS_SERVER, .first = workers, .count = servers};
    for (int r = 0; r < 2; r++)
        for (int b = 0; b < 2; b++)
            dts_plan_buffer(&job.roles[r].plan, BUCKETS * ELEMENTS, bytes);
    for (int b = 0; b < BUCKETS; b++) {
        struct dts_exchange x = {.send = true,
                                 .first_peer = workers,
                                 .peer_stride = 1,
                                 .peer_count = servers,
                                 .data = {0, (size_t)b * ELEMENTS, ELEMENTS},
                                 .part = shards ? DTS_SHARD_OF_PEER : DTS_WHOLE,
                                 .shards = servers,
                                 .shard_base = workers,
                                 .channel = b};
        struct dts_plan *plan = &job.roles[0].plan;
        int push = dts_plan_exchange(plan, DTS_PUSH, "push", x);
        x.send = false;
        x.data.buffer = 1;
        plan->ops[push].bucket =
            plan->ops[dts_plan_exchange(plan, DTS_PULL, "pull", x)].bucket = b;
        dts_plan_after(plan, push);

        plan = &job.roles[1].plan;
        x.data.buffer = 0;
        x.first_peer = 0;
        x.peer_count = workers;
        x.part = shards ? DTS_SHARD_OF_SELF : DTS_WHOLE;
        push = dts_plan_exchange(plan, DTS_PUSH, "push", x);
        int sum = dts_plan_call(plan, DTS_COMPUTE, "sum",
                                (struct dts_call){.pass = DTS_AGGREGATE, .layer = -1});
        dts_plan_after(plan, push);
        x.send = true;
        x.data.buffer = 1;
        int pull = dts_plan_exchange(plan, DTS_PULL, "pull", x);
        dts_plan_after(plan, sum);
        plan->ops[push].bucket = plan->ops[sum].bucket = plan->ops[pull].bucket = b;
    }
    return job;
}

/* MPI for a test program, of which rank 0 alone prints. Failed: *status is the exit status. */
static inline bool open_wire(struct dts_wire **wire, int *argc, char ***argv, int *status)
{
    struct dts_error err = {0};
    *status = 1;
    if (!dts_wire_open(wire, true, argc, argv, &err)) {
        printf("%s\n", err.text);
        *status = (int)err.cause;
        return false;
    }
    return dts_wire_rank(*wire) == 0 || freopen("/dev/null", "w", stdout) != NULL;
}

#endif

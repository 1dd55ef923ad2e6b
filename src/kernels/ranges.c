/* ranges.c -- a row of independent things, shared among workers. */
#include "kernels/ranges.h"

struct job {
    dts_range_fn *part;
    size_t count;
    const struct dts_op_call *call;
    const struct dts_arrays *arrays;
};

static void run_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    struct dts_range range = {.worker = worker};
    range.count = dts_share_of(job->count, worker, workers, &range.first);
    if (range.count > 0)
        job->part(job->call, job->arrays, range);
}

void dts_ranges(dts_range_fn *part, size_t count, const struct dts_op_call *call,
                const struct dts_arrays *arrays, const struct dts_place *place)
{
    struct job job = {part, count, call, arrays};
    dts_workers_run(place->workers, run_part, &job);
}

/* live.c -- one rank: what it can run, its memory, its times. */
#include "live/live.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/pages.h"
#include "base/text.h"
#include "live/values.h"

static bool check_role(const struct dts_role *role, struct dts_error *err)
{
    if (role->serve.rule != NULL && role->plan.buffers[0].element_bytes != sizeof(float))
        return dts_fail(
            err, DTS_UNSUPPORTED,
            "--live: servers that answer as requests come take gradients of 4 bytes, "
            "got %zu: precision must be fp32 or tf32",
            role->plan.buffers[0].element_bytes);
    for (int b = 0; b < role->plan.buffer_count; b++) {
        const struct dts_buffer *buffer = &role->plan.buffers[b];
        if (buffer->element_bytes != sizeof(float) && buffer->element_bytes != sizeof(double) &&
            buffer->element_bytes != sizeof(uint16_t))
            return dts_fail(err, DTS_UNSUPPORTED,
                            "--live: gradients of %zu bytes cannot be summed here: precision "
                            "must be fp32, tf32, bf16, fp16 or fp64",
                            buffer->element_bytes);
        if (buffer->count > INT_MAX)
            return dts_fail(err, DTS_UNSUPPORTED,
                            "--live: %zu gradients of a rank are more than MPI counts (%d)",
                            buffer->count, INT_MAX);
    }
    return true;
}

bool dts_live_fits(const struct dts_live *live, struct dts_error *err)
{
    int size = dts_wire_size(live->wire);
    if (live->job->ranks != size)
        return dts_fail(err, DTS_BAD_INPUT, "--live: the plan has %d rank%s, mpirun started %d",
                        live->job->ranks, dts_plural(live->job->ranks), size);
    for (int r = 0; r < live->job->role_count; r++)
        if (!check_role(&live->job->roles[r], err))
            return false;
    return true;
}

bool dts_live_open(const struct dts_live *live, struct dts_live_rank *rank,
                   struct dts_error *err)
{
    int number = dts_wire_rank(live->wire);
    const struct dts_role *role = dts_job_role(live->job, number);
    *rank = (struct dts_live_rank){.role = role, .rank = number};
    rank->buffers = dts_alloc((size_t)role->plan.buffer_count + 1, sizeof(*rank->buffers));
    for (int b = 0; b < role->plan.buffer_count; b++) {
        size_t count = role->plan.buffers[b].count;
        size_t element_bytes = dts_values_real(role->plan.buffers[b].element_bytes);
        rank->buffers[b] = dts_whole_pages(count * element_bytes); // a GPU's driver pins pages
        if (rank->buffers[b] != NULL)
            continue;
        dts_live_close(rank);
        return dts_fail(err, DTS_SYSTEM, "rank %d: no memory for %zu gradients (%.1f GB)",
                        number, count, 1e-9 * (double)count * (double)element_bytes);
    }
    return true;
}

void dts_live_close(struct dts_live_rank *rank)
{
    for (int b = 0; rank->buffers != NULL && b < rank->role->plan.buffer_count; b++)
        free(rank->buffers[b]);
    free(rank->buffers);
    *rank = (struct dts_live_rank){0};
}

void dts_live_times_free(struct dts_live_times *times)
{
    free(times->begin_s);
    free(times->end_s);
    free(times->staleness);
    *times = (struct dts_live_times){0};
}

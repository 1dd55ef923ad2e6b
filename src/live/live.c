/* live.c -- one rank: its memory, its threads, its clock. */
#include "live/live.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/pages.h"
#include "base/text.h"
#include "live/library.h"

static bool check_role(const struct dts_role *role, struct dts_error *err)
{
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

static void free_lanes(struct dts_lanes *lanes)
{
    dts_library_close(lanes);
    for (int o = 0; o < lanes->rank->role->plan.op_count; o++)
        lanes->dock->kind->give_back(lanes->dock->self, lanes->arrivals[o].messages);
    free(lanes->arrivals);
    free(lanes->done);
    pthread_cond_destroy(&lanes->changed);
    pthread_mutex_destroy(&lanes->lock);
}

static void start(struct dts_lane *lane)
{
    int code = pthread_create(&lane->thread, NULL, dts_lane_live, lane);
    if (code != 0)
        dts_wire_abort(lane->of->live->wire, strerror(code));
}

/* A thread for each stream that the plan uses; the last is this one. */
static void walk(struct dts_lanes *lanes)
{
    struct dts_lane all[DTS_STREAMS];
    const struct dts_plan *plan = &lanes->rank->role->plan;
    int count = 0;
    for (int s = 0; s < DTS_STREAMS; s++)
        if (dts_plan_uses(plan, (enum dts_stream)s))
            all[count++] = (struct dts_lane){.of = lanes, .stream = (enum dts_stream)s};
    for (int i = 0; i + 1 < count; i++)
        start(&all[i]);
    if (count > 0)
        dts_lane_live(&all[count - 1]);
    for (int i = 0; i + 1 < count; i++)
        pthread_join(all[i].thread, NULL);
}

bool dts_live_run(const struct dts_live *live, struct dts_live_rank *rank,
                  struct dts_live_times *times, struct dts_error *err)
{
    size_t ops = (size_t)rank->role->plan.op_count, entries = ops * (size_t)live->steps;
    struct dts_executor_rank seen = {live->job, rank->role, rank->rank, rank->buffers,
                                     live->context};
    struct dts_lanes lanes = {.live = live,
                              .rank = rank,
                              .times = times,
                              .host = {.kind = &dts_dock_host, .buffers = rank->buffers}};
    lanes.dock = live->dock != NULL ? live->dock : &lanes.host;
    bool open = live->executor->open(&seen, &lanes.executor_self, err);
    if (!dts_wire_agree(live->wire, err)) {
        if (open)
            live->executor->close(lanes.executor_self);
        return false;
    }
    *times = (struct dts_live_times){.begin_s = dts_alloc(entries, sizeof(double)),
                                     .end_s = dts_alloc(entries, sizeof(double))};
    lanes.done = dts_alloc(ops, sizeof(*lanes.done));
    lanes.arrivals = dts_alloc(ops, sizeof(*lanes.arrivals));
    pthread_mutex_init(&lanes.lock, NULL);
    pthread_cond_init(&lanes.changed, NULL);

    dts_library_open(&lanes);
    dts_wire_barrier(live->wire);
    times->start_s = dts_now_s();
    walk(&lanes);
    live->executor->close(lanes.executor_self);
    free_lanes(&lanes);
    return true;
}

void dts_live_times_free(struct dts_live_times *times)
{
    free(times->begin_s);
    free(times->end_s);
    *times = (struct dts_live_times){0};
}

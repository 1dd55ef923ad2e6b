/* run.c -- a run of the plan: a thread for each stream, and what they share. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/lane.h"
#include "live/library.h"

static void free_lanes(struct dts_lanes *lanes)
{
    dts_library_close(lanes);
    for (int o = 0; o < lanes->rank->role->plan.op_count; o++)
        lanes->memory->kind->give_back(lanes->memory->self, lanes->arrivals[o].messages);
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
    struct dts_lanes lanes = {
        .live = live,
        .rank = rank,
        .times = times,
        .host = {.kind = &dts_message_memory_host, .buffers = rank->buffers}};
    lanes.memory = live->memory != NULL ? live->memory : &lanes.host;
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
    if (rank->role->serve.rule != NULL && !live->in_order)
        dts_lanes_serve(&lanes);
    else
        walk(&lanes);
    live->executor->close(lanes.executor_self);
    free_lanes(&lanes);
    return true;
}

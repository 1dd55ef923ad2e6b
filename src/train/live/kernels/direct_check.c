/* direct_check.c -- a step on whole numbers that lie on the device (live/verify.h). A
 * library that says it reads such memory may still be set up so that it does not.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "live/verify.h"
#include "train/live/kernels/direct.h"

/* The plan's buffers on both sides, before there is a network. */
struct sides {
    const struct dts_plan *plan;
    struct dts_mirror *mirrors; // by buffer; owned
    float **there;              // the same; owned
};

static size_t bytes_of(const struct dts_plan *plan, const struct dts_span *span)
{
    return span->count * dts_values_real(plan->buffers[span->buffer].element_bytes);
}

static bool open_sides(struct sides *s, struct dts_space *space,
                       const struct dts_live_rank *rank, struct dts_error *err)
{
    s->plan = &rank->role->plan;
    const int count = s->plan->buffer_count;
    s->mirrors = dts_alloc((size_t)count + 1, sizeof(*s->mirrors));
    s->there = dts_alloc((size_t)count + 1, sizeof(*s->there));
    for (int b = 0; b < count; b++) {
        const struct dts_span all = {b, 0, s->plan->buffers[b].count};
        if (!dts_mirror_make(&s->mirrors[b], space, rank->buffers[b], bytes_of(s->plan, &all),
                             err))
            return false;
        s->there[b] = s->mirrors[b].there;
    }
    return true;
}

static void close_sides(struct sides *s)
{
    for (int b = 0; s->plan != NULL && b < s->plan->buffer_count; b++)
        dts_mirror_free(&s->mirrors[b]);
    free(s->mirrors);
    free(s->there);
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)self, (void)op, (void)step;
    return due_s;
}

static void move(const struct sides *s, const struct dts_op *op, const struct dts_span *data,
                 void (*way)(const struct dts_mirror *, int, size_t, size_t))
{
    const struct dts_span before = {data->buffer, 0, data->first};
    way(&s->mirrors[data->buffer], (int)op->stream, bytes_of(s->plan, &before),
        bytes_of(s->plan, data));
}

static void bring(void *self, const struct dts_op *op)
{
    move(self, op, dts_op_leaves(op), dts_mirror_fetch);
}

static void carry_off(void *self, const struct dts_op *op)
{
    move(self, op, dts_op_arrives(op), dts_mirror_store);
}

static const struct dts_executor moves_alone = {
    .name = "check",
    .summary = "nothing is computed",
    .open = dts_executor_take_context,
    .call = call,
    .bring = bring,
    .carry_off = carry_off,
    .close = dts_executor_leave_context,
};

static bool run(struct dts_live *once, struct dts_live_rank *rank, const struct sides *s,
                struct dts_error *err)
{
    struct dts_live_times times;
    size_t checked;
    for (int b = 0; s->plan != NULL && b < s->plan->buffer_count; b++)
        dts_mirror_store_all(&s->mirrors[b]);
    if (!dts_live_run(once, rank, &times, err))
        return false;
    dts_live_times_free(&times);
    for (int b = 0; s->plan != NULL && b < s->plan->buffer_count; b++)
        dts_mirror_fetch_all(&s->mirrors[b]);
    return dts_live_check(once->job, rank, &checked, err);
}

bool dts_live_direct_check(struct dts_live_kernels *k, const struct dts_live *live,
                           struct dts_live_rank *rank, struct dts_error *err)
{
    struct sides sides = {.plan = NULL};
    struct dts_live once = *live;
    const bool worker = k->space != NULL;
    if (worker)
        open_sides(&sides, k->space, rank, err);
    if (dts_wire_agree(k->wire, err)) {
        dts_live_direct_use_buffers(k, sides.there, &once);
        once.steps = 1;
        once.in_order = true;
        once.every_op = true;
        once.executor = worker ? &moves_alone : &dts_executor_instant;
        once.context = &sides;
        dts_live_fill(rank);
        run(&once, rank, &sides, err);
        dts_live_clear(rank);
    }
    close_sides(&sides);
    return dts_wire_agree(k->wire, err);
}

/* stage.c -- the plan of a stage: passes in the order of the schedule, messages to the stages
 * before and behind, gradients, update.
 *
 *     compute       fwd #0 | fwd #1 | bwd #0 | fwd #2 | bwd #1 | ...                | update
 *     forward in    #0 | #1 | #2 ...
 *     forward out            #0 | #1 | ...
 *     backward in                #0 | #1 ...
 *     backward out                        #0 | #1 ...
 *     data                                           all-reduce 0 | all-reduce 1 | ...
 *
 * A message of activations is awaited as soon as its slot is free: the backward pass of the
 * microbatch that had it is over. A call runs all layers of one round of the network ("h.3"),
 * so that a plan of 96 blocks and 64 microbatches has thousands of operations, not 100,000.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

static void add_buffers(struct dts_stage_work *w)
{
    const struct dts_point *point = w->stage->point;
    const size_t bytes = dts_precision_bytes(point->scenario->precision);
    for (int c = 0; c < w->chunks; c++) {
        const struct dts_part_of_model *part = dts_stage_part(w, c);
        const size_t copies = (size_t)point->batch * (size_t)w->most[c];
        const size_t entry = part->entry * copies, exit = part->exit * copies;
        const size_t counts[DTS_STAGE_BUFFERS] = {
            [DTS_STAGE_ENTRY] = entry,
            [DTS_STAGE_ENTRY_GRADIENT] = entry,
            [DTS_STAGE_EXIT] = exit,
            [DTS_STAGE_EXIT_GRADIENT] = exit,
        };
        for (int b = 0; b < DTS_STAGE_BUFFERS; b++)
            dts_plan_buffer(w->stage->plan, counts[b], bytes);
    }
}

/* Ranks to the one of another stage that sees the same samples. */
static int distance(const struct dts_stage_work *w, int stage)
{
    return (stage - w->stage->number) * w->stage->shape->stage_ranks;
}

/* Messages of a boundary are told apart by the microbatch and by the chunk of the part behind
 * the boundary. */
static int channel_of(const struct dts_stage_work *w, const struct dts_pipeline_pass *pass,
                      bool exit)
{
    const int chunk = exit ? w->at[pass->chunk].behind_chunk : pass->chunk;
    return chunk * w->stage->point->microbatches + pass->microbatch;
}

static int add_message(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                       enum dts_stage_buffer which)
{
    static const struct {
        enum dts_stream streams[2]; // of each copy of the network
        const char *label;
        bool send, behind;
    } rows[DTS_STAGE_BUFFERS] = {
        [DTS_STAGE_ENTRY] = {{DTS_FORWARD_IN, DTS_MIRROR_FORWARD_IN},
                             "receive activations",
                             false,
                             false},
        [DTS_STAGE_EXIT] = {{DTS_FORWARD_OUT, DTS_MIRROR_FORWARD_OUT},
                            "send activations",
                            true,
                            true},
        [DTS_STAGE_EXIT_GRADIENT] = {{DTS_BACKWARD_IN, DTS_MIRROR_BACKWARD_IN},
                                     "receive gradients",
                                     false,
                                     true},
        [DTS_STAGE_ENTRY_GRADIENT] = {{DTS_BACKWARD_OUT, DTS_MIRROR_BACKWARD_OUT},
                                      "send gradients",
                                      true,
                                      false},
    };
    const struct dts_stage_chunk *at = &w->at[pass->chunk];
    const struct dts_part_of_model *part = dts_stage_part(w, pass->chunk);
    const bool exit = which == DTS_STAGE_EXIT || which == DTS_STAGE_EXIT_GRADIENT;
    const size_t count = (size_t)w->stage->point->batch * (exit ? part->exit : part->entry);
    const struct dts_exchange x = {
        .send = rows[which].send,
        .relative = true,
        .first_peer = distance(w, rows[which].behind ? at->behind : at->before),
        .peer_stride = 1,
        .peer_count = 1,
        .data = {dts_stage_buffer_of(pass->chunk, which), (size_t)slot * count, count},
        .part = DTS_WHOLE,
        .channel = channel_of(w, pass, exit),
        .microbatch = pass->microbatch,
        .chunk = pass->chunk,
        .slot = slot,
    };
    char label[48];
    snprintf(label, sizeof(label), "%s #%d", rows[which].label, pass->microbatch);
    return dts_plan_exchange(w->stage->plan, rows[which].streams[at->place.copy], label, x);
}

/* The number of the update is known at the end. */
void dts_stage_after_update(struct dts_stage_work *w)
{
    dts_plan_after_previous(w->stage->plan, 0);
    w->open = dts_grow(w->open, &w->open_room, (size_t)w->open_count + 1, sizeof(*w->open));
    w->open[w->open_count++] = w->stage->plan->wait_count - 1;
}

/* The host issues nothing of a step before that of the step before is over. */
static void add_wait(struct dts_stage_work *w)
{
    const struct dts_stack *stack = &w->stage->point->scenario->stack;
    if (!stack->dispatch_waits || stack->dispatch_call_s <= 0)
        return;
    dts_plan_call(w->stage->plan, DTS_HOST, "read a result",
                  (struct dts_call){.pass = DTS_DISPATCH, .layer = -1});
    dts_stage_after_update(w);
}

/* The slot's data is not needed any more, in this step or in the one before. Messages between
 * kernels are awaited when the kernels before are done, too. */
static void after_use(struct dts_stage_work *w, const struct dts_slot *slot)
{
    const int op = w->stage->mesh->pipeline.overlap ? slot->used : w->ended;
    if (op >= 0) {
        dts_plan_after(w->stage->plan, op);
        return;
    }
    dts_stage_after_update(w);
}

/* What a pass needs of another stage; -1: nothing. */
static int receive(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int number)
{
    const bool forward = pass->pass == DTS_FORWARD;
    const struct dts_stage_chunk *at = &w->at[pass->chunk];
    if ((forward ? at->before : at->behind) < 0 || pass->pass == DTS_BACKWARD_WEIGHT)
        return -1;
    const int arrived =
        add_message(w, pass, number, forward ? DTS_STAGE_ENTRY : DTS_STAGE_EXIT_GRADIENT);
    after_use(w, dts_stage_slot(w, pass->chunk, number));
    return arrived;
}

/* The message that takes what a pass leaves in its slot; -1: nothing does. */
static int taken_by(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int number)
{
    const struct dts_slot *slot = dts_stage_slot(w, pass->chunk, number);
    if (pass->pass == DTS_BACKWARD_WEIGHT)
        return -1;
    return pass->pass == DTS_FORWARD ? slot->sent : slot->returned;
}

/* Passes run together, or one behind the other. */
static void run(struct dts_stage_work *w, struct dts_stage_pass *passes, int count, bool joined)
{
    for (int i = 0; i < count; i += joined ? count : 1)
        dts_stage_passes(w, passes + i, joined ? count : 1);
    for (int i = 0; i < count; i++) {
        w->ended = passes[i].op > w->ended ? passes[i].op : w->ended;
        if (dts_pipeline_is_last(passes[i].pass->pass))
            dts_stage_slot(w, passes[i].pass->chunk, passes[i].slot)->used = passes[i].op;
    }
}

/* A message leaves when the pass is over; where none are beside kernels, the next waits. */
static void send(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int number)
{
    struct dts_slot *slot = dts_stage_slot(w, pass->chunk, number);
    const bool forward = pass->pass == DTS_FORWARD;
    const struct dts_stage_chunk *at = &w->at[pass->chunk];
    if ((forward ? at->behind : at->before) < 0 || pass->pass == DTS_BACKWARD_WEIGHT)
        return;
    int *sent = forward ? &slot->sent : &slot->returned;
    *sent = add_message(w, pass, number, forward ? DTS_STAGE_EXIT : DTS_STAGE_ENTRY_GRADIENT);
    dts_plan_after(w->stage->plan, w->ended);
    if (!w->stage->mesh->pipeline.overlap)
        w->held[w->held_count++] = *sent;
}

/* Between kernels, a forward pass and the backward pass behind it have their messages together
 * where stages have several parts: each waits for the other's, which two neighbours that each
 * want to send first could not (Megatron-LM: send_forward_backward_recv_forward_backward). So
 * do passes that run together. */
static bool is_pair(const struct dts_stage_work *w, int i)
{
    return w->passes[i].joins ||
           (w->stage->mesh->schedule->interleaves && !w->stage->mesh->pipeline.overlap &&
            i + 1 < w->length && w->passes[i].pass == DTS_FORWARD &&
            w->passes[i + 1].pass == DTS_BACKWARD);
}

static void add_passes(struct dts_stage_work *w)
{
    for (int i = 0, count; i < w->length; i += count) {
        struct dts_stage_pass some[DTS_STAGE_TOGETHER];
        count = is_pair(w, i) ? 2 : 1;
        for (int k = 0; k < count; k++)
            some[k] = (struct dts_stage_pass){
                .pass = &w->passes[i + k],
                .slot = w->slots[i + k],
                .arrived = receive(w, &w->passes[i + k], w->slots[i + k]),
                .sent = taken_by(w, &w->passes[i + k], w->slots[i + k]),
            };
        if (count == 2 && some[1].arrived >= 0) // the first waits for it, too
            w->held[w->held_count++] = some[1].arrived;
        run(w, some, count, w->passes[i].joins);
        for (int k = 0; k < count; k++)
            send(w, &w->passes[i + k], w->slots[i + k]);
    }
}

/* All that left the stage's activations and their gradients. */
static void after_messages(struct dts_stage_work *w)
{
    for (int c = 0; c < w->chunks; c++)
        for (int s = 0; s < w->most[c]; s++) {
            const struct dts_slot *slot = dts_stage_slot(w, c, s);
            if (slot->sent >= 0)
                dts_plan_after(w->stage->plan, slot->sent);
            if (slot->returned >= 0)
                dts_plan_after(w->stage->plan, slot->returned);
        }
}

/* The update waits for gradients, and for all that still reads what the next step changes. */
static int add_update(struct dts_stage_work *w, int first)
{
    struct dts_plan *plan = w->stage->plan;
    const struct dts_point *point = w->stage->point;
    const int end = plan->op_count;
    const double all = point->scenario->model.parameters; // 0: nothing learns
    const double share = all > 0 ? dts_stage_kept(w) / all : 0;
    const bool host = w->stage->mesh->offload != DTS_OFFLOAD_NOTHING;
    const int back = host ? dts_stage_host_update(w, w->offloaded) : -1;
    const int update =
        dts_plan_call(plan, DTS_COMPUTE, host ? "weights" : "update",
                      (struct dts_call){.pass = host ? DTS_COPY : DTS_UPDATE,
                                        .layer = -1,
                                        .seconds = host ? 0 : point->seconds->update * share});
    if (host)
        dts_plan_after(plan, back);
    for (int op = first; op < end; op++)
        dts_plan_after(plan, op);
    for (int i = 0; i < 2; i++)
        if (w->reduced[i] >= 0)
            dts_plan_after(plan, w->reduced[i]);
    after_messages(w);
    return update;
}

/* What waits for the weights of a step, and what gathers those. */
static void end_step(struct dts_stage_work *w, const struct dts_bucket *buckets, int count,
                     int update)
{
    const int done = dts_stage_average(w, buckets, count, update);
    for (int i = 0; i < w->open_count; i++)
        w->stage->plan->waits[w->open[i]].op = done;
    if (!w->failed)
        dts_stage_gather_updated(w, buckets, count, done);
}

/* The parts of the stage, and who has those before and behind. */
static void find_chunks(struct dts_stage_work *w, const struct dts_pipeline_shape *shape)
{
    const struct dts_pipeline_schedule *schedule = w->stage->mesh->schedule;
    w->at = dts_alloc((size_t)w->chunks, sizeof(*w->at));
    for (int c = 0; c < w->chunks; c++) {
        struct dts_stage_chunk *at = &w->at[c];
        at->place = dts_pipeline_place(schedule, shape, w->stage->number, c);
        struct dts_pipeline_place before = at->place, behind = at->place;
        int ignored;
        before.part--, behind.part++;
        if (!dts_pipeline_find(schedule, shape, before, &at->before, &ignored))
            at->before = -1;
        if (!dts_pipeline_find(schedule, shape, behind, &at->behind, &at->behind_chunk))
            at->behind = -1;
        at->first_microbatch = dts_pipeline_first_microbatch(schedule, shape, at->place.copy);
    }
}

static void open_work(const struct dts_stage *stage, struct dts_stage_work *w)
{
    const struct dts_pipeline_schedule *schedule = stage->mesh->schedule;
    const struct dts_pipeline_shape *shape = stage->pipeline;
    const size_t layers = (size_t)stage->point->scenario->model.layer_count;
    *w = (struct dts_stage_work){
        .stage = stage, .stages = shape->stages, .chunks = shape->chunks};
    const size_t room = (size_t)dts_pipeline_most_passes(shape);
    find_chunks(w, shape);
    w->passes = dts_alloc(room, sizeof(*w->passes));
    w->slots = dts_alloc(room, sizeof(*w->slots));
    w->most = dts_alloc((size_t)w->chunks, sizeof(*w->most));
    w->ready = dts_alloc(layers, sizeof(*w->ready));
    w->begin = dts_alloc(DTS_STAGE_TOGETHER * (layers + 1), sizeof(*w->begin));
    w->length = schedule->list(shape, stage->number, w->passes);
    dts_pipeline_slots(shape, w->passes, w->length, w->slots, w->most);
    for (int c = 0; c < w->chunks; c++)
        w->most_slots = w->most[c] > w->most_slots ? w->most[c] : w->most_slots;
    const size_t slots = (size_t)w->chunks * (size_t)w->most_slots;
    w->use = dts_alloc(slots, sizeof(*w->use));
    for (size_t i = 0; i < slots; i++)
        w->use[i] = (struct dts_slot){-1, -1, -1};
}

static void close_work(struct dts_stage_work *w)
{
    free(w->at);
    free(w->passes);
    free(w->slots);
    free(w->most);
    free(w->ready);
    free(w->begin);
    free(w->use);
    free(w->open);
    free(w->sums);
    free(w->unit_ends);
    free(w->scattered);
}

/* The part of a step's samples that the stage reads: those that begin here. */
static double share_read(const struct dts_stage_work *w)
{
    double share = 0;
    for (int c = 0; c < w->chunks; c++)
        share += w->at[c].before < 0 ? 1.0 / dts_pipeline_copies(w->stage->mesh->schedule) : 0;
    return share;
}

bool dts_stage_plan(const struct dts_stage *stage, struct dts_error *err)
{
    struct dts_stage_work w;
    if (!dts_stage_can_offload(stage, err))
        return false;
    open_work(stage, &w);
    w.err = err;
    w.reduced[0] = w.reduced[1] = w.offloaded = w.ended = -1;
    dts_stage_gradients(&w);
    dts_stage_sums(&w);
    add_buffers(&w);
    dts_stage_wire(&w);
    dts_build_start(stage->point, stage->plan, share_read(&w));
    add_wait(&w);
    add_passes(&w);
    const int first = stage->plan->op_count;
    struct dts_bucket *buckets = NULL;
    int count = 0;
    bool good = !w.failed && dts_stage_exchange(&w, &buckets, &count, err);
    if (good) {
        end_step(&w, buckets, count, add_update(&w, first));
        good = !w.failed;
    }
    free(buckets);
    free(w.gradients);
    close_work(&w);
    return good;
}

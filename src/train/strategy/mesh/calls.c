/* calls.c -- the calls of one pass through a part of the network, and what tensor ranks
 * exchange between them.
 *
 *     compute   fwd h.0: ln_1 | gather | qkv, attention, proj | reduce-scatter | add_1, ln_2 |
 * ...
 *
 * A call runs all layers of one round of the network, or of one between two exchanges.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

/* A collective of the tensor ranks, but for its place in a plan. */
struct dts_stage_sum {
    enum dts_coll_kind kind;
    size_t count;
    struct dts_collective collective;
};

static const struct dts_cut_exchange *exchange_of(const struct dts_stage_work *w, int layer,
                                                  enum dts_cut_moment moment)
{
    return &w->stage->cut->layers[layer].exchange[moment];
}

/* Do tensor ranks exchange something between this layer and the next one, in this direction? */
static bool is_break(const struct dts_stage_work *w, int layer, bool forward)
{
    const enum dts_cut_moment here = forward ? DTS_CUT_AFTER_FORWARD : DTS_CUT_BEFORE_BACKWARD;
    const enum dts_cut_moment next = forward ? DTS_CUT_BEFORE_FORWARD : DTS_CUT_AFTER_BACKWARD;
    return exchange_of(w, layer, here)->values > 0 ||
           exchange_of(w, layer + 1, next)->values > 0 ||
           (forward && w->stage->cut->layers[layer + 1].way == DTS_CUT_CLASSES);
}

/* The last layer of the call that begins with `from`. */
static int end_of_call(const struct dts_stage_work *w, int from, int last, bool forward)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const size_t length = dts_round_length(m->layers[from].name);
    int l = from;
    while (l < last && dts_round_length(m->layers[l + 1].name) == length &&
           (length == 0 || strncmp(m->layers[l + 1].name, m->layers[from].name, length) == 0) &&
           !is_break(w, l, forward))
        l++;
    return l;
}

static bool is_forward(enum dts_pass pass)
{
    return pass == DTS_FORWARD || pass == DTS_RECOMPUTE;
}

/* Of adding the gradients of a layer to those of the microbatches before, where the framework
 * has a kernel for that. Where ranks divide gradients, they add a part of them: left out. */
static double add_seconds(const struct dts_stage_work *w, int layer)
{
    const struct dts_point *point = w->stage->point;
    const struct dts_layer *l = &point->scenario->model.layers[layer];
    const struct dts_cut_layer *cut = w->stage->cut->layers;
    double values = 0;
    for (int p = 0; p < l->param_count; p++)
        values += (double)cut[layer].params[p];
    if (l->tied_to >= 0)
        values += (double)cut[l->tied_to].params[0];
    if (values <= 0 || point->scenario->stack.accumulate_bytes <= 0 ||
        w->stage->mesh->sharded >= DTS_SHARDED_GRADIENTS)
        return 0;
    const struct dts_work work = {.class = DTS_WORK_MEMORY,
                                  .bytes = values * point->scenario->stack.accumulate_bytes};
    return dts_device_seconds(point->device, point->scenario->precision, &work);
}

static double seconds_of(const struct dts_stage_work *w, enum dts_pass pass, int first,
                         int last, bool adds)
{
    const struct dts_model_seconds *all = w->stage->point->seconds;
    double seconds = 0;
    for (int l = first; l <= last; l++) {
        const struct dts_cut_layer *mine = &w->stage->cut->layers[l];
        const double input = dts_stage_input_share(w->stage->point, l);
        const double forward = all->forward[l] * mine->forward_share;
        const double backward = all->backward[l] * mine->backward_share;
        const bool again = dts_mesh_keeps(w->stage->mesh, w->stage->point, l) == DTS_KEEPS_ENDS;
        if (again && (pass == DTS_BACKWARD || pass == DTS_BACKWARD_INPUT))
            seconds += forward;
        seconds += is_forward(pass)             ? forward
                   : pass == DTS_BACKWARD       ? backward
                   : pass == DTS_BACKWARD_INPUT ? backward * input
                                                : backward * (1 - input);
        seconds += adds ? add_seconds(w, l) : 0;
    }
    return seconds;
}

/* "forward h.3 #5", "forward h.3.ln_1 #5" where that is not all of the round */
static int add_call(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                    int first, int last)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const struct dts_call call = {
        .pass = pass->pass,
        .layer = first,
        .more = last - first,
        .microbatch = pass->microbatch,
        .chunk = pass->chunk,
        .slot = slot,
        .seconds = seconds_of(w, pass->pass, first, last,
                              pass->pass == w->last_pass && pass->microbatch > 0)};
    const char *name = m->layers[first].name;
    const bool divided = w->stage->cut->ranks > 1;
    const size_t round = divided ? 0 : dts_round_length(name);
    char label[64];
    snprintf(label, sizeof(label), "%s %.*s #%d", dts_pass_name(pass->pass),
             round > 0 && round < 24 ? (int)round : 24, name, pass->microbatch);
    return dts_build_call(w->stage->point, w->stage->plan, label, call);
}

void dts_stage_sums(struct dts_stage_work *w)
{
    const struct dts_point *point = w->stage->point;
    double most = 0;
    for (int c = 0; c < w->chunks; c++) {
        const struct dts_part_of_model *part = dts_stage_part(w, c);
        for (int l = part->first; l <= part->last; l++)
            for (int m = 0; m < DTS_CUT_MOMENTS; m++) {
                const double values = exchange_of(w, l, (enum dts_cut_moment)m)->values;
                most = values > most ? values : most;
            }
        if (w->stage->mesh->pipeline.scatter)
            most = fmax(most,
                        fmax((double)part->entry, (double)part->exit) * w->stage->cut->ranks);
    }
    dts_plan_buffer(w->stage->plan, (size_t)most * (size_t)point->batch,
                    dts_precision_bytes(point->scenario->precision));
}

/* What a library chooses for one size it chooses for all of that size. */
static const struct dts_collective *sum_of(struct dts_stage_work *w, enum dts_coll_kind kind,
                                           size_t count)
{
    const struct dts_stage *stage = w->stage;
    for (int i = 0; i < w->sum_count; i++)
        if (w->sums[i].kind == kind && w->sums[i].count == count)
            return &w->sums[i].collective;
    const struct dts_members members =
        dts_mesh_members(stage->point, stage->shape, DTS_AXIS_TENSOR);
    const double bytes =
        (double)count * (double)dts_precision_bytes(stage->point->scenario->precision);
    struct dts_stage_sum sum = {.kind = kind, .count = count};
    if (!dts_coll_choice_make(&stage->mesh->within, stage->point, &members, kind, bytes,
                              &sum.collective, w->err))
        return NULL;
    w->sums = dts_grow(w->sums, &w->sum_room, (size_t)w->sum_count + 1, sizeof(*w->sums));
    w->sums[w->sum_count] = sum;
    return &w->sums[w->sum_count++].collective;
}

/* Returns the operation, or -1 where nothing is exchanged at that moment. */
static int add_exchange(struct dts_stage_work *w, const struct dts_pipeline_pass *pass,
                        int slot, int layer, enum dts_cut_moment moment)
{
    static const char *const words[] = {[DTS_ALLREDUCE] = "all-reduce",
                                        [DTS_REDUCE_SCATTER] = "reduce-scatter",
                                        [DTS_ALLGATHER] = "all-gather"};
    const struct dts_cut_exchange *x = exchange_of(w, layer, moment);
    const size_t count = (size_t)x->values * (size_t)w->stage->point->batch;
    if (count == 0 || w->failed)
        return -1;
    const struct dts_collective *known = sum_of(w, x->kind, count);
    w->failed = known == NULL;
    if (w->failed)
        return -1;
    struct dts_collective c = *known;
    c.data = (struct dts_span){DTS_STAGE_SUMS, 0, count};
    c.made = (struct dts_between){.copied = true,
                                  .backward = moment == DTS_CUT_AFTER_BACKWARD,
                                  .layer = layer,
                                  .chunk = pass->chunk,
                                  .slot = slot};
    char label[64];
    snprintf(label, sizeof(label), "%s %.20s #%d", words[x->kind],
             w->stage->point->scenario->model.layers[layer].name, pass->microbatch);
    return dts_plan_collective(w->stage->plan, DTS_COMPUTE, label, c);
}

/* A loss over a part of the classes runs in halves, around what ranks gather; nearly all its
 * time is in the first. Returns the second. */
static int add_rest(struct dts_stage_work *w, int first)
{
    struct dts_plan *plan = w->stage->plan;
    char label[64];
    plan->ops[first].call.part = DTS_OP_SUMS;
    struct dts_call rest = plan->ops[first].call;
    rest.part = DTS_OP_REST;
    rest.seconds = 0;
    snprintf(label, sizeof(label), "%.40s: rest", plan->ops[first].label);
    return dts_plan_call(plan, DTS_COMPUTE, label, rest);
}

/* What calls of a pass through a round wait for; -1: for nothing. */
struct awaited {
    int after;     // before what tensor ranks exchange
    int gather;    // brings the weights
    int scattered; // takes the gradients of the microbatch before away
    int sent;      // the last call alone: takes away what the microbatch before left there
};

static void await(struct dts_stage_work *w, int op)
{
    if (op >= 0)
        dts_plan_after(w->stage->plan, op);
}

/* The operation that was added last waits for `op`, and for messages between kernels. */
static void await_messages(struct dts_stage_work *w, int op)
{
    await(w, op);
    for (int i = 0; i < w->held_count; i++)
        dts_plan_after(w->stage->plan, w->held[i]);
    w->held_count = 0;
}

/* What arrived from another stage in parts, whole on each tensor rank. Returns what kernels
 * wait for. */
static int add_gather(struct dts_stage_work *w, const struct dts_pipeline_pass *pass,
                      int arrived)
{
    const struct dts_part_of_model *part = dts_stage_part(w, pass->chunk);
    const size_t values = pass->pass == DTS_FORWARD ? part->entry : part->exit;
    const size_t count = values * (size_t)w->stage->cut->ranks * (size_t)w->stage->point->batch;
    if (!w->stage->mesh->pipeline.scatter || arrived < 0 || w->failed)
        return arrived;
    const struct dts_collective *known = sum_of(w, DTS_ALLGATHER, count);
    w->failed = known == NULL;
    if (w->failed)
        return arrived;
    struct dts_collective c = *known;
    c.data = (struct dts_span){DTS_STAGE_SUMS, 0, count};
    char label[48];
    snprintf(label, sizeof(label), "gather #%d", pass->microbatch);
    dts_plan_collective(w->stage->plan, DTS_COMPUTE, label, c);
    await_messages(w, arrived);
    return -1; // kernels come behind it on their stream
}

/* One call, and what comes before and behind it. */
static int add_segment(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                       int first, int last, const struct awaited *awaited)
{
    const bool forward = is_forward(pass->pass);
    const bool exchanges = pass->pass != DTS_BACKWARD_WEIGHT;
    int op = -1;
    if (exchanges)
        op = add_exchange(w, pass, slot, forward ? first : last,
                          forward ? DTS_CUT_BEFORE_FORWARD : DTS_CUT_BEFORE_BACKWARD);
    const bool waited = op >= 0;
    if (waited)
        await_messages(w, awaited->after);
    op = add_call(w, pass, slot, first, last);
    if (!waited)
        await_messages(w, awaited->after);
    await(w, awaited->gather);
    await(w, awaited->scattered);
    await(w, awaited->sent);
    for (int l = first; l <= last && pass->pass == w->last_pass; l++)
        w->ready[l] = op;
    if (!exchanges)
        return op;
    const int behind = add_exchange(w, pass, slot, forward ? last : first,
                                    forward ? DTS_CUT_AFTER_FORWARD : DTS_CUT_AFTER_BACKWARD);
    if (forward && w->stage->cut->layers[last].way == DTS_CUT_CLASSES)
        return add_rest(w, op);
    return behind >= 0 ? behind : op;
}

/* Are both layers of one round, or both of none? */
static bool same_unit(const struct dts_model *m, int a, int b)
{
    const size_t length = dts_round_length(m->layers[a].name);
    return length == dts_round_length(m->layers[b].name) &&
           (length == 0 || strncmp(m->layers[a].name, m->layers[b].name, length) == 0);
}

/* All calls of layers first .. last in the direction of the pass. */
static int add_run(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                   int first, int last, const struct awaited *awaited)
{
    const bool forward = is_forward(pass->pass);
    int count = 0, *begin = w->begin, op = -1; // first layers of the calls
    for (int l = first; l <= last; l = end_of_call(w, l, last, forward) + 1)
        begin[count++] = l;
    begin[count] = last + 1;
    for (int i = 0; i < count; i++) {
        const int at = forward ? i : count - 1 - i;
        struct awaited mine = {-1, -1, -1, i == count - 1 ? awaited->sent : -1};
        if (i == 0)
            mine = (struct awaited){awaited->after, awaited->gather, awaited->scattered,
                                    mine.sent};
        op = add_segment(w, pass, slot, begin[at], begin[at + 1] - 1, &mine);
    }
    return op;
}

/* The last layer of a round that has to run again for what backward reads: the last that keeps
 * something and is read in the round. What leaves the round is kept as the next one's entry. */
static int last_again(const struct dts_stage_work *w, int first, int last)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    if (!w->stage->point->scenario->stack.kernels.recompute_ends_early)
        return last;
    for (int l = last - 1; l > first; l--) {
        bool read = false;
        for (int r = l + 1; r <= last; r++)
            for (int k = 0; k < m->layers[r].input_count; k++)
                read = read || m->layers[r].inputs[k] == l;
        if (read && m->layers[l].cost.saved_values + m->layers[l].cost.saved_bytes > 0)
            return l;
    }
    return first;
}

/* A pass through one round. Where its activations were not kept, backward begins with forward.
 */
static int add_unit(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                    int first, int last, const struct awaited *ends)
{
    struct awaited awaited = *ends;
    awaited.gather = dts_stage_gather(w, pass->pass, first, last);
    awaited.scattered = is_forward(pass->pass) ? -1 : dts_stage_scattered(w, first, last);
    const bool again = pass->pass == DTS_BACKWARD || pass->pass == DTS_BACKWARD_INPUT;
    if (again && dts_mesh_keeps(w->stage->mesh, w->stage->point, first) == DTS_KEEPS_ENTRY) {
        struct dts_pipeline_pass forward = *pass;
        struct awaited before = awaited;
        forward.pass = DTS_RECOMPUTE;
        before.sent = -1;
        add_run(w, &forward, slot, first, last_again(w, first, last), &before);
        awaited.after = awaited.gather = -1;
    }
    const int op = add_run(w, pass, slot, first, last, &awaited);
    dts_stage_unit_end(w, pass->pass, first, last, op);
    return op;
}

int dts_stage_calls(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                    int after, int sent)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const struct dts_part_of_model *part = dts_stage_part(w, pass->chunk);
    const bool forward = pass->pass == DTS_FORWARD;
    int op = -1;
    after = add_gather(w, pass, after);
    for (int at = forward ? part->first : part->last; at >= part->first && at <= part->last;) {
        int first = at, last = at;
        while (last < part->last && same_unit(m, at, last + 1))
            last++;
        while (first > part->first && same_unit(m, at, first - 1))
            first--;
        const bool ends = forward ? last == part->last : first == part->first;
        op = add_unit(w, pass, slot, first, last,
                      &(struct awaited){op < 0 ? after : -1, -1, -1, ends ? sent : -1});
        at = forward ? last + 1 : first - 1;
    }
    return op;
}

/* calls.c -- the calls of one pass through a part of the network, and where ranks exchange
 * something between them.
 *
 *     compute   fwd h.0: ln_1 | gather | qkv, attention, proj | reduce-scatter | add_1, ln_2 |
 * ...
 *
 * A call runs all layers of one round of the network, or of one between two exchanges.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

/* Do ranks exchange something between this layer and the next one, in this direction, or while
 * one of them runs? */
static bool is_break(const struct dts_stage_work *w, int layer, bool forward)
{
    const enum dts_cut_moment here = forward ? DTS_CUT_AFTER_FORWARD : DTS_CUT_BEFORE_BACKWARD;
    const enum dts_cut_moment next = forward ? DTS_CUT_BEFORE_FORWARD : DTS_CUT_AFTER_BACKWARD;
    const struct dts_cut_layer *layers = &w->stage->cut->layers[layer];
    return layers[0].exchange_count[here] > 0 || layers[1].exchange_count[next] > 0 ||
           layers[0].ring_values > 0 || layers[1].ring_values > 0 ||
           (forward && layers[1].way == DTS_CUT_CLASSES);
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
        seconds += dts_stage_is_forward(pass)   ? forward
                   : pass == DTS_BACKWARD       ? backward
                   : pass == DTS_BACKWARD_INPUT ? backward * input
                                                : backward * (1 - input);
        seconds += adds ? add_seconds(w, l) : 0;
    }
    return seconds;
}

/* "forward h.3 #5", "forward h.3.ln_1 #5" where that is not all of the round */
int dts_stage_call(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                   int first, int last, double share)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const bool adds = dts_pipeline_is_last(pass->pass) &&
                      pass->microbatch > w->at[pass->chunk].first_microbatch;
    const struct dts_call call = {.pass = pass->pass,
                                  .layer = first,
                                  .more = last - first,
                                  .microbatch = pass->microbatch,
                                  .chunk = pass->chunk,
                                  .slot = slot,
                                  .seconds =
                                      share * seconds_of(w, pass->pass, first, last, adds)};
    const char *name = m->layers[first].name;
    const struct dts_cut *cut = w->stage->cut;
    const bool divided = cut->ranks * cut->context * cut->experts > 1;
    const size_t round = divided ? 0 : dts_round_length(name);
    char label[64];
    snprintf(label, sizeof(label), "%s %.*s #%d", dts_pass_name(pass->pass),
             round > 0 && round < 24 ? (int)round : 24, name, pass->microbatch);
    w->here = dts_build_call(w->stage->point, w->stage->plan, label, call);
    dts_stage_await_side(w);
    return w->here;
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
    w->here = dts_plan_call(plan, DTS_COMPUTE, label, rest);
    return w->here;
}

/* What calls of a pass through a round wait for; -1: for nothing. */
struct awaited {
    int after;        // before what tensor ranks exchange
    int gather;       // brings the weights
    int scattered[2]; // take the gradients of the microbatch before away
    int sent;         // the last call alone: takes away what the microbatch before left there
};

static void await(struct dts_stage_work *w, int op)
{
    if (op >= 0)
        dts_plan_after(w->stage->plan, op);
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
    const struct dts_collective *known =
        dts_stage_collective(w, DTS_CUT_TENSOR, DTS_ALLGATHER, count);
    if (known == NULL)
        return arrived;
    struct dts_collective c = *known;
    c.data = (struct dts_span){DTS_STAGE_SUMS, 0, count};
    char label[48];
    snprintf(label, sizeof(label), "gather #%d", pass->microbatch);
    w->here = dts_plan_collective(w->stage->plan, DTS_COMPUTE, label, c);
    dts_plan_after(w->stage->plan, arrived);
    dts_stage_await_held(w);
    return -1; // kernels come behind it on their stream
}

/* What the first call behind exchanges waits for. Returns how many; messages between kernels
 * are among them. */
static int waits_of(struct dts_stage_work *w, const struct awaited *awaited, bool waited,
                    int waits[DTS_STAGE_WAITS])
{
    const int needed[] = {waited ? -1 : awaited->after, awaited->gather, awaited->scattered[0],
                          awaited->scattered[1]};
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (needed[i] >= 0)
            waits[count++] = needed[i];
    for (int i = 0; i < w->held_count; i++)
        waits[count++] = w->held[i];
    w->held_count = 0;
    return count;
}

/* The call itself, of attention in a ring as many as there are ranks. */
static int add_kernels(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                       int first, int last, const int *waits, int count)
{
    if (pass->pass != DTS_BACKWARD_WEIGHT && w->stage->cut->layers[first].ring_values > 0)
        return dts_stage_ring(w, pass, slot, first, waits, count);
    const int op = dts_stage_call(w, pass, slot, first, last, 1);
    for (int i = 0; i < count; i++)
        dts_plan_after(w->stage->plan, waits[i]);
    return op;
}

/* One call, and what comes before and behind it. */
static int add_segment(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                       int first, int last, const struct awaited *awaited)
{
    const bool forward = dts_stage_is_forward(pass->pass);
    const bool exchanges = pass->pass != DTS_BACKWARD_WEIGHT;
    int op = -1, waits[DTS_STAGE_WAITS];
    if (exchanges)
        op = dts_stage_exchanges(w, pass, slot, forward ? first : last,
                                 forward ? DTS_CUT_BEFORE_FORWARD : DTS_CUT_BEFORE_BACKWARD,
                                 awaited->after);
    const int count = waits_of(w, awaited, op >= 0, waits);
    op = add_kernels(w, pass, slot, first, last, waits, count);
    await(w, awaited->sent);
    if (dts_pipeline_is_last(pass->pass))
        dts_stage_ready(w, first, last, op);
    if (!exchanges)
        return op;
    const int behind =
        dts_stage_exchanges(w, pass, slot, forward ? last : first,
                            forward ? DTS_CUT_AFTER_FORWARD : DTS_CUT_AFTER_BACKWARD, -1);
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
    const bool forward = dts_stage_is_forward(pass->pass);
    int count = 0, *begin = w->begin, op = -1; // first layers of the calls
    for (int l = first; l <= last; l = end_of_call(w, l, last, forward) + 1)
        begin[count++] = l;
    begin[count] = last + 1;
    for (int i = 0; i < count; i++) {
        const int at = forward ? i : count - 1 - i;
        struct awaited mine = {-1, -1, {-1, -1}, i == count - 1 ? awaited->sent : -1};
        if (i == 0)
            mine = (struct awaited){awaited->after,
                                    awaited->gather,
                                    {awaited->scattered[0], awaited->scattered[1]},
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
    awaited.scattered[0] = awaited.scattered[1] = -1;
    if (!dts_stage_is_forward(pass->pass))
        dts_stage_scattered(w, first, last, awaited.scattered);
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
    w->here = w->side = -1;
    after = add_gather(w, pass, after);
    for (int at = forward ? part->first : part->last; at >= part->first && at <= part->last;) {
        int first = at, last = at;
        while (last < part->last && same_unit(m, at, last + 1))
            last++;
        while (first > part->first && same_unit(m, at, first - 1))
            first--;
        const bool ends = forward ? last == part->last : first == part->first;
        op = add_unit(w, pass, slot, first, last,
                      &(struct awaited){op < 0 ? after : -1, -1, {-1, -1}, ends ? sent : -1});
        at = forward ? last + 1 : first - 1;
    }
    return op;
}

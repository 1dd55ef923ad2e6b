/* passes.c -- the passes of a microbatch through a part of the network, call by call.
 *
 *     compute   fwd h.0: ln_1 | gather | qkv, attention, proj | reduce-scatter | add_1, ln_2 |
 * ...
 *
 * A call runs all layers of one round of the network, or of one between two exchanges. Passes
 * that run together take turns, so that one computes while the other waits for other ranks:
 *
 *     compute   fwd attention | bwd experts | fwd experts | bwd attention |
 *     expert                  | fwd there   | bwd back    | fwd back ...
 */
#include <string.h>

#include "train/strategy/mesh/stage_private.h"

/* A pass that is under way. */
struct walk {
    const struct dts_pipeline_pass *pass;
    int slot;
    int after; // the operation that its first call waits for; -1: none
    int sent;  // and the one with layer `writer`, which begins to write what leaves the part
    int writer;
    int at;          // the layer with which the next round begins
    int first, last; // layers of the round
    bool again;      // forward is run again first

    struct dts_pipeline_pass run; // through the round: the pass, or forward again
    struct dts_stage_awaited awaited;
    int *begin, count, next; // first layers of the run's calls, and the call that comes next
    int op, here, side;      // as of struct dts_stage_work
};

/* Do ranks exchange something between this layer and the next one, in this direction, or while
 * one of them runs? */
static bool is_break(const struct dts_stage_work *w, int layer, bool forward)
{
    const enum dts_cut_moment here = forward ? DTS_CUT_AFTER_FORWARD : DTS_CUT_BEFORE_BACKWARD;
    const enum dts_cut_moment next = forward ? DTS_CUT_BEFORE_FORWARD : DTS_CUT_AFTER_BACKWARD;
    const struct dts_cut_layer *layers = &w->stage->cut->layers[layer];
    return layers[0].exchange_count[here] > 0 || layers[1].exchange_count[next] > 0 ||
           dts_stage_has_halves(&layers[0], forward) ||
           dts_stage_has_halves(&layers[1], forward) || layers[0].ring_values > 0 ||
           layers[1].ring_values > 0 || (forward && layers[1].way == DTS_CUT_CLASSES);
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

/* Does a pass go through both layers at once? */
static bool same_unit(const struct dts_stage_work *w, enum dts_pass pass, int a, int b)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const size_t length = dts_round_length(m->layers[a].name);
    if (pass != DTS_FORWARD && w->stage->again[a].unit == w->stage->again[b].unit)
        return true;
    return length == dts_round_length(m->layers[b].name) &&
           (length == 0 || strncmp(m->layers[a].name, m->layers[b].name, length) == 0);
}

/* The calls of layers first .. last, which come next. */
static void open_run(const struct dts_stage_work *w, struct walk *walk, enum dts_pass pass,
                     int last)
{
    const bool forward = dts_stage_is_forward(pass);
    walk->run = *walk->pass;
    walk->run.pass = pass;
    walk->count = walk->next = 0;
    for (int l = walk->first; l <= last; l = end_of_call(w, l, last, forward) + 1)
        walk->begin[walk->count++] = l;
    walk->begin[walk->count] = last + 1;
}

/* The round that comes next. Where its activations were not kept, backward begins with forward;
 * false: the pass is through. */
static bool open_unit(struct dts_stage_work *w, struct walk *walk)
{
    const struct dts_part_of_model *part = dts_stage_part(w, walk->pass->chunk);
    const enum dts_pass pass = walk->pass->pass;
    if (walk->at < part->first || walk->at > part->last)
        return false;
    walk->first = walk->last = walk->at;
    while (walk->last < part->last && same_unit(w, pass, walk->at, walk->last + 1))
        walk->last++;
    while (walk->first > part->first && same_unit(w, pass, walk->at, walk->first - 1))
        walk->first--;
    walk->awaited = (struct dts_stage_awaited){
        walk->op < 0 ? walk->after : -1,
        dts_stage_gather(w, pass, walk->first, walk->last),
        {-1, -1},
        -1,
    };
    if (!dts_stage_is_forward(pass))
        dts_stage_scattered(w, walk->first, walk->last, walk->awaited.scattered);
    walk->again = (pass == DTS_BACKWARD || pass == DTS_BACKWARD_INPUT) &&
                  w->stage->again[walk->first].keeps == DTS_KEEPS_ENTRY;
    if (walk->again)
        open_run(w, walk, DTS_RECOMPUTE,
                 dts_stage_last_again(w->stage->point, walk->first, walk->last));
    else
        open_run(w, walk, pass, walk->last);
    return true;
}

/* Behind forward again comes the pass itself; behind that the next round. */
static void end_run(struct dts_stage_work *w, struct walk *walk)
{
    const enum dts_pass pass = walk->pass->pass;
    if (walk->again) {
        walk->again = false;
        walk->awaited.after = walk->awaited.gather = -1;
        open_run(w, walk, pass, walk->last);
        return;
    }
    dts_stage_unit_end(w, pass, walk->first, walk->last, walk->op);
    walk->at = pass == DTS_FORWARD ? walk->last + 1 : walk->first - 1;
    walk->count = 0;
}

/* Where the first layer of the i-th call is. */
static int place_of(const struct walk *walk, int i)
{
    return dts_stage_is_forward(walk->run.pass) ? i : walk->count - 1 - i;
}

/* What ranks exchange before the i-th call, which waits for it: a pass that takes turns lets
 * the other one compute meanwhile. */
static int before(struct dts_stage_work *w, const struct walk *walk, int i, int after)
{
    const int at = place_of(walk, i);
    return dts_stage_before(w, &walk->run, walk->slot, walk->begin[at], walk->begin[at + 1] - 1,
                            after);
}

/* One call more; false: the pass is through. */
static bool go_on(struct dts_stage_work *w, struct walk *walk)
{
    static const struct dts_stage_awaited nothing = {-1, -1, {-1, -1}, -1};
    if (walk->count == 0 && !open_unit(w, walk))
        return false;
    const int i = walk->next++, at = place_of(walk, i);
    const int first = walk->begin[at], last = walk->begin[at + 1] - 1;
    const bool writes =
        walk->run.pass == walk->pass->pass && walk->writer >= first && walk->writer <= last;
    struct dts_stage_awaited awaited = i == 0 ? walk->awaited : nothing;
    awaited.sent = writes ? walk->sent : -1;
    w->here = walk->here;
    w->side = walk->side;
    if (i == 0 && before(w, walk, i, awaited.after) >= 0)
        awaited.after = -1; // they have waited
    walk->op = dts_stage_segment(w, &walk->run, walk->slot, first, last, &awaited);
    if (walk->next < walk->count)
        before(w, walk, walk->next, -1);
    walk->here = w->here;
    walk->side = w->side;
    if (walk->next == walk->count)
        end_run(w, walk);
    return true;
}

/* A tensor that is no view of another one. */
static int source_of(const struct dts_model *m, int tensor)
{
    while (tensor >= 0 && m->layers[tensor].view)
        tensor = m->layers[tensor].inputs[0];
    return tensor;
}

/* The layer that first writes what a pass leaves for another stage: the last one makes the
 * exit; of those that read the entry, as a product and the sum behind it, the last one is the
 * first backward. */
static int writer_of(const struct dts_stage_work *w, const struct dts_pipeline_pass *pass)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const struct dts_part_of_model *part = dts_stage_part(w, pass->chunk);
    for (int l = part->last; pass->pass != DTS_FORWARD && l > part->first; l--)
        for (int i = 0; i < m->layers[l].input_count; i++) {
            const int from = source_of(m, m->layers[l].inputs[i]);
            if (from >= 0 && from < part->first)
                return l;
        }
    return pass->pass == DTS_FORWARD ? part->last : part->first;
}

static struct walk begin_walk(struct dts_stage_work *w, const struct dts_stage_pass *of,
                              int number)
{
    const struct dts_part_of_model *part = dts_stage_part(w, of->pass->chunk);
    const size_t room = (size_t)w->stage->point->scenario->model.layer_count + 1;
    struct walk walk = {
        .pass = of->pass,
        .slot = of->slot,
        .sent = of->sent,
        .writer = writer_of(w, of->pass),
        .at = of->pass->pass == DTS_FORWARD ? part->first : part->last,
        .begin = w->begin + (size_t)number * room,
        .op = -1,
    };
    w->here = w->side = -1;
    walk.after = dts_stage_gather_parts(w, of->pass, of->arrived);
    walk.here = w->here;
    walk.side = w->side;
    return walk;
}

void dts_stage_passes(struct dts_stage_work *w, struct dts_stage_pass *passes, int count)
{
    struct walk walks[DTS_STAGE_TOGETHER];
    bool more = true;
    for (int i = 0; i < count; i++)
        walks[i] = begin_walk(w, &passes[i], i);
    while (more) {
        more = false;
        for (int i = 0; i < count; i++)
            more = go_on(w, &walks[i]) || more;
    }
    for (int i = 0; i < count; i++)
        passes[i].op = walks[i].op;
}

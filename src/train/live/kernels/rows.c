/* rows.c -- rows to the ranks that work on them, and back. */
#include "train/live/kernels/rows.h"

#include <string.h>

#include "base/mem.h"
#include "plan/run.h"

static bool moves_rows(const struct dts_op *op)
{
    return op->kind == DTS_OP_COLLECTIVE && op->collective.made.copied &&
           (op->stream == DTS_EXPERT || op->stream == DTS_CONTEXT);
}

bool dts_live_rows_has(const struct dts_live_kernels *k, const struct dts_call *call)
{
    return call->layer >= 0 &&
           dts_network_row_values(k->parts->networks[call->chunk], call->layer) > 0;
}

/* Which of the members this rank is. */
static int self_of(const struct dts_live_kernels *k, const struct dts_op *op)
{
    return op->stream == DTS_EXPERT ? k->parts->seat.expert : k->parts->seat.context;
}

static size_t values_of(const struct dts_live_kernels *k, const struct dts_between *made)
{
    return dts_network_row_values(k->parts->networks[made->chunk], made->layer);
}

/* The first of the rows of an exchange. Several at one moment have rows one behind the other,
 * all but the first one as many: queries, keys, values. */
static size_t first_of(const struct dts_live_kernels *k, const struct dts_op *op)
{
    const struct dts_between *made = &op->collective.made;
    const size_t behind = (size_t)(made->count - made->number) * op->collective.data.count;
    return made->number > 0 ? values_of(k, made) - behind : 0;
}

/* Those that a rank exchanges with a member. */
static float *rows_of(const struct dts_live_kernels *k, const struct dts_op *op, int member)
{
    const struct dts_collective *c = &op->collective;
    return k->parts->rows + first_of(k, op) +
           (size_t)member * (c->data.count / (size_t)c->group.size);
}

/* What goes between this rank and a member, in the buffer: all to all a part of each; else what
 * is the member's share of what is gathered, or summed up. */
static struct dts_span part_of(const struct dts_live_kernels *k, const struct dts_op *op,
                               int member, int channel, bool give)
{
    const struct dts_collective *c = &op->collective;
    const int self = self_of(k, op);
    if (c->shape.kind == DTS_ALLTOALL)
        return dts_collective_part(c, give ? self : member, give ? member : self, channel);
    const int rank = k->rank.rank + (member - self) * c->group.stride;
    return dts_collective_share(k->rank.role, c, rank, channel);
}

static bool is_even(const struct dts_live_kernels *k, const struct dts_op *op, int member)
{
    size_t count = 0;
    for (int channel = 0; channel < op->collective.channels; channel++)
        count += part_of(k, op, member, channel, true).count;
    return count * (size_t)op->collective.group.size == op->collective.data.count;
}

/* Gathering a rank gives its own rows alone, and of a sum it takes its own alone. */
static bool moves_member(const struct dts_live_kernels *k, const struct dts_op *op, int member,
                         bool give)
{
    const enum dts_coll_kind kind = op->collective.shape.kind;
    const bool own = (kind == DTS_ALLGATHER && give) || (kind == DTS_REDUCE_SCATTER && !give);
    return !own || member == self_of(k, op);
}

static bool check(const struct dts_live_kernels *k, const struct dts_op *op,
                  struct dts_error *err)
{
    const struct dts_collective *c = &op->collective;
    const struct dts_seat_part *part = &k->parts->seat.parts[c->made.chunk];
    const struct dts_layer *layer = &k->point->scenario->model.layers[c->made.layer];
    const char *name = k->point->strategy->name;
    const size_t all = values_of(k, &c->made);
    bool even = op->stream == DTS_EXPERT ? c->data.count == all
                                         : first_of(k, op) + c->data.count <= all;
    for (int m = 0; m < c->group.size; m++)
        even = even && is_even(k, op, m);
    if (!even)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: layer %s: ranks exchange parts of unlike "
                        "size",
                        name, layer->name);
    return (c->made.layer != part->first && c->made.layer != part->last) ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: a stage begins or ends with layer %s, "
                    "which several ranks work on",
                    name, layer->name);
}

bool dts_live_rows_open(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    size_t most = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (!moves_rows(op))
            continue;
        if (!check(k, op, err))
            return false;
        const size_t all = values_of(k, &op->collective.made);
        most = all > most ? all : most;
    }
    if (most > 0)
        k->parts->rows = dts_alloc(most, sizeof(float));
    return true;
}

/* Between a member's rows and its parts of the buffer. */
static void move(struct dts_live_kernels *k, const struct dts_op *op, bool give)
{
    const struct dts_collective *c = &op->collective;
    for (int m = 0; m < c->group.size; m++) {
        float *rows = rows_of(k, op, m);
        for (int channel = 0; channel < c->channels && moves_member(k, op, m, give);
             channel++) {
            const struct dts_span part = part_of(k, op, m, channel, give);
            float *values = k->rank.buffers[part.buffer] + part.first;
            memcpy(give ? values : rows, give ? rows : values, part.count * sizeof(float));
            rows += part.count;
        }
    }
}

static void run(struct dts_live_kernels *k, const struct dts_between *made,
                enum dts_op_part part)
{
    struct dts_network *network = k->parts->networks[made->chunk];
    const struct dts_network_part what = {.part = part,
                                          .rows = k->parts->rows,
                                          .again = made->again,
                                          .rank = k->parts->seat.context};
    dts_network_select(network, made->slot);
    dts_network_take_part(network, &what);
    (made->backward ? dts_network_backward : dts_network_forward)(network, made->layer);
}

void dts_live_rows_give(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (k->parts == NULL || !moves_rows(op))
        return;
    const struct dts_between *made = &op->collective.made;
    if (made->before && made->number == 0)
        run(k, made, DTS_OP_LEAVE);
    move(k, op, true);
}

void dts_live_rows_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (k->parts == NULL || !moves_rows(op))
        return;
    move(k, op, false);
    const struct dts_between *made = &op->collective.made;
    if (!made->before && made->number + 1 == made->count)
        run(k, made, DTS_OP_RETURN);
}

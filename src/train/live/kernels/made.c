/* made.c -- tensors of calls, and the sums of a loss over parts of the classes, which tensor
 * ranks combine. */
#include "train/live/kernels/made.h"

#include <string.h>

#include "plan/run.h"

static bool is_made(const struct dts_live_kernels *k, const struct dts_op *op)
{
    return k->parts != NULL && k->parts->seat.members > 1 && op->kind == DTS_OP_COLLECTIVE &&
           op->collective.made.copied && op->collective.shape.kind != DTS_ALLTOALL;
}

/* Of a loss ranks gather three values of each position: each has its own share. */
static bool is_loss(const struct dts_op *op)
{
    return op->collective.shape.kind == DTS_ALLGATHER;
}

/* NULL: nobody needs it; zeros travel. */
static float *made_by(const struct dts_live_kernels *k, const struct dts_between *made)
{
    struct dts_network *network = k->parts->networks[made->chunk];
    const struct dts_network_part again = {.part = DTS_OP_WHOLE, .again = made->again};
    dts_network_select(network, made->slot);
    dts_network_take_part(network, &again);
    return dts_network_made(network, made->layer, made->backward);
}

static float *place_of(const struct dts_live_kernels *k, const struct dts_op *op)
{
    const struct dts_span *data = &op->collective.data;
    return k->rank.buffers[data->buffer] + data->first;
}

/* Between the block of a member among the sums and its shares of the buffer: one for each
 * channel. */
static void move_block(struct dts_live_kernels *k, const struct dts_op *op, int member,
                       bool give)
{
    const struct dts_collective *c = &op->collective;
    const int first = k->rank.rank - k->parts->seat.member; // tensor ranks are neighbours
    double *block =
        k->parts->class_sums + (size_t)member * (c->data.count / (size_t)c->group.size);
    for (int channel = 0; channel < c->channels; channel++) {
        const struct dts_span share =
            dts_collective_share(k->rank.role, c, first + member, channel);
        float *values = k->rank.buffers[share.buffer] + share.first;
        for (size_t i = 0; i < share.count; i++, block++)
            if (give)
                values[i] = (float)*block;
            else
                *block = (double)values[i];
    }
}

static size_t share_of(const struct dts_live_kernels *k, const struct dts_collective *c,
                       int member)
{
    const int first = k->rank.rank - k->parts->seat.member;
    size_t count = 0;
    for (int channel = 0; channel < c->channels; channel++)
        count += dts_collective_share(k->rank.role, c, first + member, channel).count;
    return count;
}

bool dts_live_made_check(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_collective *c = &plan->ops[o].collective;
        if (!is_made(k, &plan->ops[o]) || !is_loss(&plan->ops[o]))
            continue;
        for (int m = 0; m < c->group.size; m++)
            if (share_of(k, c, m) * (size_t)c->group.size != c->data.count)
                return dts_fail(err, DTS_UNSUPPORTED,
                                "live.compute: kernels: %s: %d channels do not divide what "
                                "tensor ranks gather of a loss",
                                k->point->strategy->name, c->channels);
    }
    return true;
}

void dts_live_made_give(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (!is_made(k, op))
        return;
    if (is_loss(op)) {
        move_block(k, op, k->parts->seat.member, true);
        return;
    }
    const float *made = made_by(k, &op->collective.made);
    const size_t bytes = op->collective.data.count * sizeof(float);
    if (made != NULL)
        memcpy(place_of(k, op), made, bytes);
    else
        memset(place_of(k, op), 0, bytes);
}

void dts_live_made_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (!is_made(k, op))
        return;
    for (int m = 0; is_loss(op) && m < k->parts->seat.members; m++)
        move_block(k, op, m, false);
    float *made = is_loss(op) ? NULL : made_by(k, &op->collective.made);
    if (made != NULL)
        memcpy(made, place_of(k, op), op->collective.data.count * sizeof(float));
}

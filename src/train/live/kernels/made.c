/* made.c -- tensors of calls, the sums of a loss over parts of the classes, and gradients,
 * which tensor ranks combine. */
#include "train/live/kernels/made.h"

#include <string.h>

#include "base/mem.h"
#include "plan/run.h"

static bool is_made(const struct dts_live_kernels *k, const struct dts_op *op)
{
    return k->parts != NULL && k->parts->seat.members > 1 && op->kind == DTS_OP_COLLECTIVE &&
           op->collective.made.copied && op->stream == DTS_COMPUTE;
}

/* Of a loss ranks gather three values of each position: each has its own share. */
static bool is_loss(const struct dts_op *op)
{
    return op->collective.shape.kind == DTS_ALLGATHER && !op->collective.made.before;
}

/* Ranks gather positions, or sum up all and keep their own. */
static bool divides(const struct dts_op *op)
{
    return op->collective.shape.kind != DTS_ALLREDUCE && !is_loss(op);
}

static struct dts_network_exchanged exchanged_by(const struct dts_live_kernels *k,
                                                 const struct dts_between *made)
{
    struct dts_network *network = k->parts->networks[made->chunk];
    const struct dts_network_part again = {.part = DTS_OP_WHOLE, .again = made->again};
    dts_network_select(network, made->slot);
    dts_network_take_part(network, &again);
    return dts_network_exchanged(network, made->layer, made->backward, made->before);
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

/* Between the positions of a member and its shares of the buffer. The array has those of all
 * members, sample by sample, or the member's own alone. */
static void move_positions(struct dts_live_kernels *k, const struct dts_op *op, int member,
                           float *array, bool all, bool give)
{
    const struct dts_collective *c = &op->collective;
    const int first = k->rank.rank - k->parts->seat.member;
    const size_t batch = (size_t)k->point->batch, members = (size_t)c->group.size;
    const size_t each = c->data.count / members / batch;
    struct dts_param_slice slice = {batch, each, (size_t)member * each, members * each};
    size_t done = 0;
    if (!all)
        slice = (struct dts_param_slice){1, batch * each, 0, batch * each};
    for (int channel = 0; channel < c->channels; channel++) {
        const struct dts_span share =
            dts_collective_share(k->rank.role, c, first + member, channel);
        dts_param_slice_move(&slice, done, share.count,
                             k->rank.buffers[share.buffer] + share.first, array, !give);
        done += share.count;
    }
}

static void take_sums(float *to, const float *sums, size_t count, bool adds)
{
    if (!adds)
        memcpy(to, sums, count * sizeof(float));
    for (size_t i = 0; adds && i < count; i++)
        to[i] += sums[i];
}

static void give_positions(struct dts_live_kernels *k, const struct dts_op *op,
                           const float *from)
{
    const int self = k->parts->seat.member, members = k->parts->seat.members;
    const bool all = op->collective.shape.kind == DTS_REDUCE_SCATTER;
    if (from == NULL)
        memset(place_of(k, op), 0, op->collective.data.count * sizeof(float));
    for (int m = all ? 0 : self; from != NULL && m < (all ? members : self + 1); m++)
        move_positions(k, op, m, (float *)from, all, true); // which it leaves as it is
}

static void take_positions(struct dts_live_kernels *k, const struct dts_op *op,
                           const struct dts_network_exchanged *x)
{
    const int self = k->parts->seat.member, members = k->parts->seat.members;
    const bool all = op->collective.shape.kind == DTS_ALLGATHER;
    const size_t own = op->collective.data.count / (size_t)members;
    float *sums = x->adds ? k->parts->positions : x->to;
    for (int m = all ? 0 : self; x->to != NULL && m < (all ? members : self + 1); m++)
        move_positions(k, op, m, sums, all, false);
    if (x->to != NULL && x->adds)
        take_sums(x->to, sums, own, true);
}

/* Between gradients and the buffer, one tensor behind the other. */
static void move_gradients(struct dts_live_kernels *k, const struct dts_op *op, bool give)
{
    const struct dts_layout *layout = &k->parts->layout;
    float *at = place_of(k, op);
    for (int i = 0; i < layout->count; i++) {
        const struct dts_layout_tensor *t = &layout->tensors[i];
        float *gradient = k->rank.buffers[DTS_GRADIENTS] + t->gradient;
        if (!t->summed)
            continue;
        memcpy(give ? at : gradient, give ? gradient : at, t->param->count * sizeof(float));
        at += t->param->count;
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

/* Elements of the gradients that tensor ranks add up. */
static size_t summed_of(const struct dts_layout *layout)
{
    size_t count = 0;
    for (int i = 0; i < layout->count; i++)
        count += layout->tensors[i].summed ? layout->tensors[i].param->count : 0;
    return count;
}

static bool check(const struct dts_live_kernels *k, const struct dts_op *op,
                  struct dts_error *err)
{
    const struct dts_collective *c = &op->collective;
    bool even = !c->made.gradients || c->data.count == summed_of(&k->parts->layout);
    for (int m = 0; m < c->group.size && (is_loss(op) || divides(op)); m++)
        even = even && share_of(k, c, m) * (size_t)c->group.size == c->data.count;
    return even || dts_fail(err, DTS_UNSUPPORTED,
                            "live.compute: kernels: %s: \"%s\": %d channels leave tensor ranks "
                            "unlike shares",
                            k->point->strategy->name, op->label, c->channels);
}

bool dts_live_made_open(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    size_t most = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (!is_made(k, op))
            continue;
        if (!check(k, op, err))
            return false;
        const size_t own = op->collective.data.count / (size_t)op->collective.group.size;
        most = divides(op) && own > most ? own : most;
    }
    if (most > 0)
        k->parts->positions = dts_alloc(most, sizeof(float));
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
    if (op->collective.made.gradients) {
        move_gradients(k, op, true);
        return;
    }
    const float *from = exchanged_by(k, &op->collective.made).from;
    const size_t bytes = op->collective.data.count * sizeof(float);
    if (divides(op))
        give_positions(k, op, from);
    else if (from != NULL)
        memcpy(place_of(k, op), from, bytes);
    else
        memset(place_of(k, op), 0, bytes);
}

void dts_live_made_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (!is_made(k, op))
        return;
    for (int m = 0; is_loss(op) && m < k->parts->seat.members; m++)
        move_block(k, op, m, false);
    if (op->collective.made.gradients)
        move_gradients(k, op, false);
    if (is_loss(op) || op->collective.made.gradients)
        return;
    const struct dts_network_exchanged x = exchanged_by(k, &op->collective.made);
    if (divides(op))
        take_positions(k, op, &x);
    else if (x.to != NULL)
        take_sums(x.to, place_of(k, op), op->collective.data.count, x.adds);
}

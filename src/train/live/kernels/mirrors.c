/* mirrors.c -- copies between a device and the host's memory, for messages and files. On a
 * CPU there is nothing to copy: the plan's buffers are the network's own arrays.
 */
#include "train/live/kernels/mirrors.h"

#include "base/text.h"
#include "train/live/kernels/synchrony.h"
#include "train/strategy/build.h"

static bool is_sums(const struct dts_live_kernels *t, int buffer)
{
    return t->rank.role->plan.buffers[buffer].element_bytes == sizeof(double);
}

/* The plan's buffers are what messages see of the network's arrays. */
bool dts_live_mirrors_open(struct dts_live_kernels *t, struct dts_error *err)
{
    const struct dts_plan *plan = &t->rank.role->plan;
    if (dts_live_gradients_travel(t))
        dts_network_use_gradients(t->network, t->rank.buffers[DTS_GRADIENTS]);
    if (dts_live_weights_travel(t))
        dts_network_use_weights(t->network, t->rank.buffers[DTS_WEIGHTS]);
    for (int b = 0; b < plan->buffer_count; b++)
        if (is_sums(t, b))
            return dts_mirror_make(&t->sums, t->space, t->rank.buffers[b],
                                   plan->buffers[b].count * sizeof(double), err);
    return true;
}

void dts_live_mirrors_check(const struct dts_live_kernels *t)
{
    struct dts_text text = {0};
    if (!dts_space_is_apart(t->space))
        return;
    const struct dts_error trouble = dts_space_trouble(t->space);
    if (trouble.cause == DTS_NO_ERROR)
        return;
    dts_text_add(&text, "rank %d: %s", dts_wire_rank(t->wire), trouble.text);
    dts_wire_abort(t->wire, dts_text_string(&text));
}

const struct dts_mirror *dts_live_mirror_of(const struct dts_live_kernels *t, int buffer)
{
    if (is_sums(t, buffer))
        return &t->sums;
    return dts_network_mirror(t->network, buffer == DTS_GRADIENTS ? DTS_NETWORK_GRADIENTS
                                                                  : DTS_NETWORK_WEIGHTS);
}

/* A span of an operation that has messages, as both sides have it; it is counted. */
static const struct dts_mirror *both_sides(struct dts_live_kernels *t,
                                           const struct dts_span *data, size_t *first,
                                           size_t *bytes)
{
    const size_t each = is_sums(t, data->buffer) ? sizeof(double) : sizeof(float);
    *first = data->first * each;
    *bytes = data->count * each;
    atomic_fetch_add(&t->copied_bytes, *bytes);
    return dts_live_mirror_of(t, data->buffer);
}

void dts_live_mirrors_bring(void *self, const struct dts_op *op)
{
    struct dts_live_kernels *t = self;
    size_t first, bytes;
    if (!dts_space_is_apart(t->space) || (op->kind == DTS_OP_EXCHANGE && !op->exchange.send))
        return;
    const struct dts_mirror *data = both_sides(t, dts_op_leaves(op), &first, &bytes);
    dts_mirror_fetch(data, (int)op->stream, first, bytes);
    dts_live_mirrors_check(t);
}

void dts_live_mirrors_carry_off(void *self, const struct dts_op *op)
{
    struct dts_live_kernels *t = self;
    size_t first, bytes;
    if (!dts_space_is_apart(t->space) || (op->kind == DTS_OP_EXCHANGE && op->exchange.send))
        return;
    const struct dts_mirror *data = both_sides(t, dts_op_arrives(op), &first, &bytes);
    dts_mirror_store(data, (int)op->stream, first, bytes);
    dts_live_mirrors_check(t);
}

/* The arrays that are remembered; returns how many. Only a rank with the whole network has a
 * device apart. */
static int remembered(const struct dts_live_kernels *t, const struct dts_mirror *arrays[3])
{
    int count = 0;
    if (t->network == NULL)
        return 0;
    arrays[count++] = dts_network_mirror(t->network, DTS_NETWORK_WEIGHTS);
    arrays[count++] = dts_network_mirror(t->network, DTS_NETWORK_STATES);
    if (t->parts->optimizer_count > 0)
        arrays[count++] = dts_optimizer_mirror(t->parts->optimizers[0]);
    return count;
}

void dts_live_mirrors_fetch(const struct dts_live_kernels *t)
{
    const struct dts_mirror *arrays[3];
    for (int i = remembered(t, arrays); i-- > 0;)
        dts_mirror_fetch_all(arrays[i]);
    dts_live_mirrors_check(t);
}

void dts_live_mirrors_store(const struct dts_live_kernels *t)
{
    const struct dts_mirror *arrays[3];
    for (int i = remembered(t, arrays); i-- > 0;)
        dts_mirror_store_all(arrays[i]);
    dts_live_mirrors_check(t);
}

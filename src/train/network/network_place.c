/* network_place.c -- memory of a step: what lives from when to when.
 *
 * Moments are those of network_again.c. An output lives until its last reader; readers are the
 * forward calls that take it in, and the backward calls of those that need it (op.h: needs_x,
 * needs_y). A gradient lives from the backward call of the last taker until that of the layer
 * itself. The first taker that runs backward writes it, the others write into memory of their
 * own, which is then added.
 *
 * With several slots, what is born forward and dies backward lies apart from what lives within
 * one pass: the former is there for each slot. Tensors at the ends of a range are not here.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/mixed.h"
#include "train/network/network_private.h"

/* A list of leases, each with the place where its offset goes. */
struct leases {
    struct dts_lease *items; // owned
    size_t **wanted;         // owned
    size_t room, wanted_room;
    int count;
};

/* What all slots share, and what each has. */
struct places {
    struct leases shared, kept;
};

static void append(struct leases *list, const struct dts_lease *lease, size_t *offset)
{
    const size_t needed = (size_t)list->count + 1;
    list->items = dts_grow(list->items, &list->room, needed, sizeof(*list->items));
    list->wanted = dts_grow(list->wanted, &list->wanted_room, needed, sizeof(size_t *));
    list->items[list->count] = *lease;
    list->wanted[list->count++] = offset;
}

static void add(const struct dts_network *n, struct places *places, struct dts_lease lease,
                size_t *offset)
{
    const int turn = n->model->layer_count; // the first moment of the backward pass
    const bool kept = n->options.slots > 1 && lease.birth < turn && lease.death >= turn;
    if (lease.bytes > 0)
        append(kept ? &places->kept : &places->shared, &lease, offset);
}

size_t dts_network_tensor_bytes(const struct dts_network *n, int tensor)
{
    const struct dts_operation *op = n->nodes[tensor].op;
    if (op != NULL && op->loss)
        return (size_t)n->options.batch * sizeof(float);
    const struct dts_dims *dims = dts_network_scatters(n, tensor)
                                      ? &n->model->layers[tensor].output
                                      : &n->calls[tensor].call.output;
    return (size_t)n->options.batch * dts_dims_elements(dims) * dts_network_real(n);
}

size_t dts_network_input_bytes(const struct dts_network *n, int l, int i)
{
    const struct dts_layer_call *c = &n->calls[l];
    return c->gathers ? (size_t)n->options.batch * dts_dims_elements(&c->call.inputs[i]) *
                            dts_network_real(n)
                      : dts_network_tensor_bytes(n, c->inputs[i]);
}

/* What has the positions of all ranks: parts of a sum, within the call and what scatters them.
 */
static void add_sums(struct dts_network *n, struct places *places, int l)
{
    struct dts_node *node = &n->nodes[l];
    const size_t bytes = (size_t)n->options.batch *
                         dts_dims_elements(&n->calls[l].call.output) * dts_network_real(n);
    struct dts_lease lease = {bytes, l, l, 0};
    if (!dts_network_scatters(n, l))
        return;
    add(n, places, lease, &node->sum);
    lease.birth = lease.death = node->again_at;
    if (node->again_at >= 0)
        add(n, places, lease, &node->sum_again);
    lease.birth = lease.death = node->back_at;
    if (n->calls[l].learns)
        add(n, places, lease, &node->sum_gradient);
}

/* An input that is gathered: from the layer that brings it until backward of that. */
static void add_gathered(struct dts_network *n, struct places *places, int l)
{
    const struct dts_layer_call *c = &n->calls[l];
    const struct dts_node *node = &n->nodes[l];
    struct dts_lease lease = {dts_network_input_bytes(n, l, 0), l, l, 0};
    for (int k = l; k < n->end; k++)
        if (n->nodes[k].op != NULL && n->calls[k].gathers &&
            n->calls[k].inputs[0] == c->inputs[0])
            lease.death = k;
    const int back = c->learns ? node->back_at : lease.death;
    if (node->again_at < 0)
        lease.death = back;
    add(n, places, lease, &n->nodes[c->inputs[0]].wide);
    lease.birth = node->again_at;
    lease.death = back > node->again_at ? back : node->again_at;
    if (node->again_at >= 0)
        add(n, places, lease, &n->nodes[c->inputs[0]].wide_again);
}

/* Of the layer that brings a gathered tensor, backward. */
static int bringer_back_at(const struct dts_network *n, int tensor)
{
    for (int l = n->first; l < n->end; l++)
        if (n->calls[l].brings && n->calls[l].inputs[0] == tensor)
            return n->nodes[l].back_at;
    return n->moments;
}

/* The gradient of a tensor, which is written at that moment. */
static void add_sum(struct dts_network *n, struct places *places, int tensor, int now)
{
    const struct dts_lease lease = {dts_network_tensor_bytes(n, tensor), now,
                                    n->nodes[tensor].back_at, 0};
    add(n, places, lease, &n->nodes[tensor].gradient);
}

static void add_gradients(struct dts_network *n, struct places *places)
{
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        struct dts_node *node = &n->nodes[l];
        const struct dts_layer_call *c = &n->calls[l];
        for (int i = 0; node->op != NULL && i < c->call.input_count; i++) {
            const int from = c->inputs[i], now = node->back_at;
            if (!c->wants[i])
                continue;
            struct dts_lease lease = {dts_network_input_bytes(n, l, i), now, now, 0};
            if (c->adds[i]) {
                add(n, places, lease, &node->more[i]);
            } else if (c->splits) {
                lease.death = bringer_back_at(n, from);
                add(n, places, lease, &n->nodes[from].wide_gradient);
            } else if (from != n->entry) {
                add_sum(n, places, from, now);
            }
        }
        // what comes back is that of the rank's positions
        if (node->op != NULL && c->brings && !c->joins && c->wants[0] &&
            c->inputs[0] != n->entry)
            add_sum(n, places, c->inputs[0], node->back_at);
    }
}

size_t dts_network_scratch_bytes(const struct dts_network *n, int l, bool backward)
{
    const struct dts_operation *op = n->nodes[l].op;
    const struct dts_op_call *call = &n->calls[l].call;
    const struct dts_place *place = dts_network_where(n);
    const struct dts_op_version *version = dts_place_version(place, op);
    size_t (*scratch)(const struct dts_op_call *, int, int) =
        backward ? version->backward_scratch : version->forward_scratch;
    if (n->mixed)
        return (backward ? dts_mixed_backward_scratch
                         : dts_mixed_forward_scratch)(op, call, n->options.batch, place);
    return scratch != NULL ? scratch(call, n->options.batch, dts_workers_count(place->workers))
                           : 0;
}

static void add_work(struct dts_network *n, struct places *places, int l)
{
    struct dts_node *node = &n->nodes[l];
    const struct dts_op_call *call = &n->calls[l].call;
    const int again = node->again_at, back = n->calls[l].learns ? node->back_at : l;
    const size_t scratch = dts_network_scratch_bytes(n, l, false);
    const size_t saved = node->op->saved_bytes != NULL
                             ? node->op->saved_bytes(call, n->options.batch, sizeof(float))
                             : 0;
    struct dts_lease lease = {saved, l, again < 0 ? back : l, 0};
    add(n, places, lease, &node->saved);
    lease = (struct dts_lease){saved, again, back > again ? back : again, 0};
    if (again >= 0)
        add(n, places, lease, &node->saved_again);
    lease = (struct dts_lease){scratch, l, l, 0};
    add(n, places, lease, &node->scratch_forward);
    lease = (struct dts_lease){scratch, again, again, 0};
    if (again >= 0)
        add(n, places, lease, &node->scratch_again);
    if (!n->calls[l].learns)
        return;
    lease = (struct dts_lease){dts_network_scratch_bytes(n, l, true), back, back, 0};
    add(n, places, lease, &node->scratch_backward);
}

static void add_output(struct dts_network *n, struct places *places, int l,
                       const struct dts_lives *lives)
{
    struct dts_node *node = &n->nodes[l];
    struct dts_lease lease = {dts_network_tensor_bytes(n, l), l, lives->death, 0};
    add(n, places, lease, &node->output);
    if (lives->again < 0)
        return;
    lease.birth = lives->again;
    lease.death = lives->end;
    add(n, places, lease, &node->output_again);
}

/* Find the offsets; returns the bytes. */
static size_t place(struct dts_network *n, struct leases *list, size_t before)
{
    const size_t bytes = dts_arena_place(list->items, list->count);
    for (int i = 0; i < list->count; i++) {
        list->items[i].offset += before;
        *list->wanted[i] = list->items[i].offset;
        n->leases[n->lease_count++] = list->items[i];
    }
    free(list->items);
    free(list->wanted);
    return bytes;
}

/* What lives once lies in one place, forward and backward. */
static void find_once(struct dts_network *n, const struct dts_lives *lives)
{
    for (int l = 0; l < n->model->layer_count; l++) {
        struct dts_node *node = &n->nodes[l];
        if (lives[l].again < 0)
            node->output_again = node->output;
        if (node->again_at < 0)
            node->saved_again = node->saved;
        if (node->again_at >= 0)
            continue;
        node->sum_again = node->sum;
        if (n->calls[l].brings)
            n->nodes[n->calls[l].inputs[0]].wide_again = n->nodes[n->calls[l].inputs[0]].wide;
    }
}

void dts_network_place(struct dts_network *n)
{
    struct places places = {0};
    struct dts_lives *lives = dts_alloc((size_t)n->model->layer_count, sizeof(*lives));
    dts_network_find_lives(n, lives);
    for (int l = 0; l < n->model->layer_count; l++) {
        if (n->nodes[l].op == NULL)
            continue;
        if (l != n->exit)
            add_output(n, &places, l, &lives[l]);
        add_work(n, &places, l);
        add_sums(n, &places, l);
        if (n->calls[l].brings && n->calls[l].gathers)
            add_gathered(n, &places, l);
    }
    add_gradients(n, &places);
    n->leases =
        dts_alloc((size_t)(places.shared.count + places.kept.count) + 1, sizeof(*n->leases));
    n->shared_bytes = place(n, &places.shared, 0);
    n->kept_bytes = place(n, &places.kept, n->shared_bytes);
    n->arena_bytes = n->shared_bytes + (size_t)n->options.slots * n->kept_bytes;
    find_once(n, lives);
    free(lives);
}

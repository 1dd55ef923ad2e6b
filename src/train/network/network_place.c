/* network_place.c -- memory of a step: what lives from when to when.
 *
 * Forward of layer l is moment l, its backward moment 2 n - 1 - l of n layers. An output lives
 * until its last reader; readers are the forward calls that take it in, and the backward calls
 * of those that need it (op.h: needs_x, needs_y). A gradient lives from the backward call of
 * the last taker until that of the layer itself. The first taker that runs backward writes it,
 * the others write into memory of their own, which is then added.
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
    return (size_t)n->options.batch * dts_dims_elements(&n->calls[tensor].call.output) *
           dts_network_real(n);
}

/* The last moment at which each output is read. */
static void find_deaths(const struct dts_network *n, int *death)
{
    for (int l = 0; l < n->model->layer_count; l++) {
        const struct dts_node *node = &n->nodes[l];
        const struct dts_layer_call *c = &n->calls[l];
        if (node->op == NULL)
            continue;
        const bool again = c->learns && node->op->needs_x;
        const int last = again ? dts_network_backward_at(n, l) : l;
        for (int i = 0; i < c->call.input_count; i++)
            if (c->inputs[i] != DTS_CALL_ENTRY && death[c->inputs[i]] < last)
                death[c->inputs[i]] = last;
        if (death[l] < l)
            death[l] = l;
        // a loss is read whenever somebody wants to know it
        const int own = node->op->loss ? 2 * n->model->layer_count
                        : c->learns && (node->op->needs_y || c->call.relu)
                            ? dts_network_backward_at(n, l)
                            : l;
        death[l] = death[l] < own ? own : death[l];
    }
}

static void add_gradients(struct dts_network *n, struct places *places)
{
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        struct dts_node *node = &n->nodes[l];
        const struct dts_layer_call *c = &n->calls[l];
        for (int i = 0; node->op != NULL && i < c->call.input_count; i++) {
            const int from = c->inputs[i], now = dts_network_backward_at(n, l);
            if (!c->wants[i])
                continue;
            struct dts_lease lease = {dts_network_tensor_bytes(n, from), now, now, 0};
            if (c->adds[i]) {
                add(n, places, lease, &node->more[i]);
            } else if (from != n->entry) {
                lease.death = dts_network_backward_at(n, from);
                add(n, places, lease, &n->nodes[from].gradient);
            }
        }
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
    const int back = n->calls[l].learns ? dts_network_backward_at(n, l) : l;
    struct dts_lease lease = {.birth = l, .death = back};
    if (node->op->saved_bytes != NULL)
        lease.bytes = node->op->saved_bytes(call, n->options.batch, sizeof(float));
    add(n, places, lease, &node->saved);
    lease = (struct dts_lease){dts_network_scratch_bytes(n, l, false), l, l, 0};
    add(n, places, lease, &node->scratch_forward);
    if (!n->calls[l].learns)
        return;
    lease = (struct dts_lease){dts_network_scratch_bytes(n, l, true), back, back, 0};
    add(n, places, lease, &node->scratch_backward);
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

void dts_network_place(struct dts_network *n)
{
    struct places places = {0};
    int *death = dts_alloc((size_t)n->model->layer_count, sizeof(*death));
    find_deaths(n, death);
    for (int l = 0; l < n->model->layer_count; l++) {
        if (n->nodes[l].op == NULL)
            continue;
        const struct dts_lease output = {dts_network_tensor_bytes(n, l), l, death[l], 0};
        if (l != n->exit)
            add(n, &places, output, &n->nodes[l].output);
        add_work(n, &places, l);
    }
    add_gradients(n, &places);
    n->leases =
        dts_alloc((size_t)(places.shared.count + places.kept.count) + 1, sizeof(*n->leases));
    n->shared_bytes = place(n, &places.shared, 0);
    n->kept_bytes = place(n, &places.kept, n->shared_bytes);
    n->arena_bytes = n->shared_bytes + (size_t)n->options.slots * n->kept_bytes;
    free(death);
}

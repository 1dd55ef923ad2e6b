/* network_place.c -- memory of a step: what lives from when to when.
 *
 * Forward of layer l is moment l, its backward moment 2 n - 1 - l of n layers. An output lives
 * until its last reader; readers are the forward calls that take it in, and the backward calls
 * of those that need it (op.h: needs_x, needs_y). A gradient lives from the backward call of
 * the last taker until that of the layer itself. The first taker that runs backward writes it,
 * the others write into memory of their own, which is then added.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/mixed.h"
#include "train/network/network_private.h"

/* A list of leases, each with the place where its offset goes. */
struct leases {
    struct dts_lease *items; // the network's
    size_t **wanted;         // owned
    size_t room, wanted_room;
    int count;
};

static void add(struct leases *list, size_t bytes, int birth, int death, size_t *offset)
{
    const size_t needed = (size_t)list->count + 1;
    if (bytes == 0)
        return;
    list->items = dts_grow(list->items, &list->room, needed, sizeof(*list->items));
    list->wanted = dts_grow(list->wanted, &list->wanted_room, needed, sizeof(size_t *));
    list->items[list->count] =
        (struct dts_lease){.bytes = bytes, .birth = birth, .death = death};
    list->wanted[list->count++] = offset;
}

static size_t output_bytes(const struct dts_network *n, int layer)
{
    const struct dts_operation *op = n->nodes[layer].op;
    if (op->loss)
        return (size_t)n->options.batch * sizeof(float);
    return (size_t)n->options.batch * dts_dims_elements(&n->calls[layer].call.output) *
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

static void add_gradients(struct dts_network *n, struct leases *list)
{
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        struct dts_node *node = &n->nodes[l];
        const struct dts_layer_call *c = &n->calls[l];
        for (int i = 0; i < c->call.input_count; i++) {
            const int from = c->inputs[i], now = dts_network_backward_at(n, l);
            if (c->adds[i])
                add(list, output_bytes(n, from), now, now, &node->more[i]);
            else if (c->wants[i])
                add(list, output_bytes(n, from), now, dts_network_backward_at(n, from),
                    &n->nodes[from].gradient);
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

static void add_work(struct dts_network *n, struct leases *list, int l)
{
    struct dts_node *node = &n->nodes[l];
    const struct dts_op_call *call = &n->calls[l].call;
    const int batch = n->options.batch;
    if (node->op->saved_bytes != NULL)
        add(list, node->op->saved_bytes(call, batch, sizeof(float)), l,
            n->calls[l].learns ? dts_network_backward_at(n, l) : l, &node->saved);
    add(list, dts_network_scratch_bytes(n, l, false), l, l, &node->scratch_forward);
    if (n->calls[l].learns)
        add(list, dts_network_scratch_bytes(n, l, true), dts_network_backward_at(n, l),
            dts_network_backward_at(n, l), &node->scratch_backward);
    if (node->op->state_bytes != NULL) {
        node->state = n->state_bytes;
        n->state_bytes += (node->op->state_bytes(call, batch, sizeof(float)) + 63) / 64 * 64;
    }
}

void dts_network_place(struct dts_network *n)
{
    struct leases list = {0};
    int *death = dts_alloc((size_t)n->model->layer_count, sizeof(*death));
    find_deaths(n, death);
    for (int l = 0; l < n->model->layer_count; l++) {
        if (n->nodes[l].op == NULL)
            continue;
        add(&list, output_bytes(n, l), l, death[l], &n->nodes[l].output);
        add_work(n, &list, l);
    }
    add_gradients(n, &list);
    n->arena_bytes = dts_arena_place(list.items, list.count);
    for (int i = 0; i < list.count; i++)
        *list.wanted[i] = list.items[i].offset;
    n->leases = list.items;
    n->lease_count = list.count;
    free(list.wanted);
    free(death);
}

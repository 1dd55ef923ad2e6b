/* network_slots.c -- microbatches in flight: what each has of its own beside its part of the
 * arena.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/network/network_private.h"

/* Does a call between `first` and `end` make a gradient of that tensor? */
static bool makes_gradient(const struct dts_network *n, int tensor, int first, int end)
{
    for (int l = first; l < end; l++)
        for (int i = 0; i < n->calls[l].call.input_count; i++)
            if (n->calls[l].wants[i] && n->calls[l].inputs[i] == tensor)
                return true;
    return false;
}

static size_t edge_bytes(const struct dts_network *n, enum dts_network_edge edge)
{
    const bool entry = edge == DTS_EDGE_ENTRY || edge == DTS_EDGE_ENTRY_GRADIENT;
    const int tensor = entry ? n->entry : n->exit;
    if (tensor == DTS_CALL_ENTRY)
        return 0;
    if (edge == DTS_EDGE_ENTRY_GRADIENT && !makes_gradient(n, tensor, n->first, n->end))
        return 0;
    if (edge == DTS_EDGE_EXIT_GRADIENT &&
        !makes_gradient(n, tensor, n->end, n->model->layer_count))
        return 0;
    return dts_network_tensor_bytes(n, tensor);
}

static bool get_input(struct dts_network *n, struct dts_network_slot *slot,
                      struct dts_error *err)
{
    const size_t inputs = (size_t)n->options.batch * dts_dims_elements(&n->model->input);
    if (!n->reads_input)
        return true;
    return dts_mirror_make(&slot->input, n->space, NULL, inputs * sizeof(float), err) &&
           (!n->mixed || n->tokens ||
            dts_space_get(n->space, inputs * sizeof(uint16_t), &slot->input_half, err));
}

/* Where other ranks have other positions. On a CPU: what is there is here. */
static void get_parts(const struct dts_network *n, struct dts_network_slot *slot)
{
    const size_t layers = (size_t)n->model->layer_count, all = (size_t)n->contexts;
    slot->target_parts = dts_alloc(layers, sizeof(*slot->target_parts));
    if (n->contexts == 1)
        return;
    for (size_t l = 0; l < layers; l++)
        if (slot->target[l].bytes > 0)
            slot->target_parts[l] = dts_alloc(slot->target[l].bytes / all, 1);
    if (slot->input.bytes > 0)
        slot->input_part = dts_alloc(slot->input.bytes / all, 1);
}

/* Positions of a sample are one behind the other. */
static void take_part(const struct dts_network *n, const struct dts_mirror *whole, void *part)
{
    const size_t sample = whole->bytes / (size_t)n->options.batch;
    const size_t here = sample / (size_t)n->contexts;
    for (size_t b = 0; part != NULL && b < (size_t)n->options.batch; b++)
        memcpy((char *)part + b * here,
               (const char *)whole->here + b * sample + (size_t)n->context * here, here);
}

void dts_network_take_positions(struct dts_network *n)
{
    const struct dts_network_slot *slot = dts_network_now(n);
    take_part(n, &slot->input, slot->input_part);
    for (int l = 0; l < n->model->layer_count; l++)
        take_part(n, &slot->target[l], slot->target_parts[l]);
}

static bool get_slot(struct dts_network *n, struct dts_network_slot *slot,
                     struct dts_error *err)
{
    const size_t layers = (size_t)n->model->layer_count;
    slot->target = dts_alloc(layers, sizeof(*slot->target));
    slot->arrays = dts_alloc(layers, sizeof(*slot->arrays));
    slot->arrays_back = dts_alloc(layers, sizeof(*slot->arrays));
    for (size_t l = 0; l < layers; l++) {
        const size_t bytes = (size_t)n->options.batch * n->nodes[l].targets * sizeof(float);
        if (bytes > 0 && !dts_mirror_make(&slot->target[l], n->space, NULL, bytes, err))
            return false;
    }
    for (int e = 0; e < DTS_NETWORK_EDGES; e++) {
        const size_t bytes = edge_bytes(n, e);
        if (bytes > 0 && !dts_mirror_make(&slot->edges[e], n->space, NULL, bytes, err))
            return false;
    }
    if (!get_input(n, slot, err))
        return false;
    get_parts(n, slot);
    return true;
}

bool dts_network_get_slots(struct dts_network *n, struct dts_error *err)
{
    for (int s = 0; s < n->options.slots; s++)
        if (!get_slot(n, &n->slots[s], err))
            return false;
    return true;
}

void dts_network_free_slots(struct dts_network *n)
{
    for (int s = 0; s < n->options.slots; s++) {
        struct dts_network_slot *slot = &n->slots[s];
        for (int l = 0; slot->target != NULL && l < n->model->layer_count; l++)
            dts_mirror_free(&slot->target[l]);
        for (int l = 0; slot->target_parts != NULL && l < n->model->layer_count; l++)
            free(slot->target_parts[l]);
        free(slot->target_parts);
        free(slot->input_part);
        for (int e = 0; e < DTS_NETWORK_EDGES; e++)
            dts_mirror_free(&slot->edges[e]);
        dts_mirror_free(&slot->input);
        dts_space_give_back(n->space, slot->input_half);
        free(slot->target);
        free(slot->arrays);
        free(slot->arrays_back);
    }
    free(n->slots);
}

void dts_network_select(struct dts_network *n, int slot)
{
    assert(slot >= 0 && slot < n->options.slots);
    n->slot = slot;
    n->part = (struct dts_network_part){.part = DTS_OP_WHOLE};
}

void *dts_network_input(struct dts_network *n, bool *tokens)
{
    *tokens = n->tokens;
    return dts_network_now(n)->input.here;
}

void *dts_network_target(struct dts_network *n, int layer, size_t *count, bool *classes)
{
    *count = n->nodes[layer].targets;
    *classes = n->nodes[layer].op != NULL && n->nodes[layer].op->classes;
    return dts_network_now(n)->target[layer].here;
}

const struct dts_mirror *dts_network_edge(const struct dts_network *n,
                                          enum dts_network_edge edge, int slot)
{
    const struct dts_mirror *mirror = &n->slots[slot].edges[edge];
    return mirror->bytes > 0 ? mirror : NULL;
}

/* Edges that lie elsewhere are not the network's. */
static size_t own_edges(const struct dts_network *n, int slot)
{
    size_t bytes = 0;
    for (int e = 0; e < DTS_NETWORK_EDGES; e++)
        bytes += n->slots[slot].edges[e].lent ? 0 : edge_bytes(n, e);
    return bytes;
}

size_t dts_network_slot_bytes(const struct dts_network *n)
{
    return n->options.slots > 1 ? n->kept_bytes + own_edges(n, n->slot) : 0;
}

size_t dts_network_bytes(const struct dts_network *n)
{
    size_t all = n->arena_bytes + n->state_bytes +
                 (n->layout.parameters + n->layout.gradients) * sizeof(float) +
                 dts_sparse_bytes(&n->spare[0]) + dts_sparse_bytes(&n->spare[1]);
    for (int l = 0; l < n->model->layer_count; l++)
        all += n->nodes[l].rows != NULL ? dts_sparse_bytes(n->nodes[l].rows) : 0;
    for (int s = 0; s < n->options.slots; s++)
        all += own_edges(n, s);
    return all;
}

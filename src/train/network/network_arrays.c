/* network_arrays.c -- where the arrays of calls are, and what ranks combine between calls. */
#include <assert.h>

#include "train/network/network_private.h"

/* behind: in backward, and in what runs again before it. */
static void *output_of(const struct dts_network *n, int slot, int tensor, bool behind)
{
    const struct dts_network_slot *s = &n->slots[slot];
    if (tensor == DTS_CALL_ENTRY && s->input_part != NULL)
        return s->input_part;
    if (tensor == DTS_CALL_ENTRY)
        return s->input_half != NULL ? s->input_half : s->input.there;
    if (tensor == n->entry)
        return s->edges[DTS_EDGE_ENTRY].there;
    if (tensor == n->exit)
        return s->edges[DTS_EDGE_EXIT].there;
    const struct dts_node *node = &n->nodes[tensor];
    return dts_network_at(n, slot, behind ? node->output_again : node->output);
}

void *dts_network_output(const struct dts_network *n, int tensor)
{
    return output_of(n, n->slot, tensor, false);
}

static void *gradient_of(const struct dts_network *n, int slot, int tensor)
{
    const struct dts_network_slot *s = &n->slots[slot];
    if (tensor == n->entry)
        return s->edges[DTS_EDGE_ENTRY_GRADIENT].there;
    return tensor == n->exit && s->edges[DTS_EDGE_EXIT_GRADIENT].bytes > 0
               ? s->edges[DTS_EDGE_EXIT_GRADIENT].there
               : dts_network_at(n, slot, n->nodes[tensor].gradient);
}

/* The output with the positions of all ranks. */
static void *wide_of(const struct dts_network *n, int slot, int tensor, bool behind)
{
    const struct dts_node *node = &n->nodes[tensor];
    return dts_network_at(n, slot, behind ? node->wide_again : node->wide);
}

/* What a call writes: its output, or parts of the sums that it will be. */
static void *made_of(const struct dts_network *n, int slot, int layer, bool behind)
{
    const struct dts_node *node = &n->nodes[layer];
    if (!dts_network_scatters(n, layer))
        return output_of(n, slot, layer, behind);
    return dts_network_at(n, slot, behind ? node->sum_again : node->sum);
}

static void *made_gradient_of(const struct dts_network *n, int slot, int layer)
{
    return dts_network_scatters(n, layer)
               ? dts_network_at(n, slot, n->nodes[layer].sum_gradient)
               : gradient_of(n, slot, layer);
}

/* Where the gradient of an input is, as a layer takes it, of all that take it so. */
static void *sum_of(const struct dts_network *n, int slot, int layer, int input)
{
    return n->calls[layer].splits ? dts_network_at(n, slot, n->nodes[input].wide_gradient)
                                  : gradient_of(n, slot, input);
}

void *dts_network_gradient_sum(const struct dts_network *n, int layer, int input)
{
    return sum_of(n, n->slot, layer, input);
}

/* Forward reads no gradient, so both directions have them. */
static struct dts_arrays arrays_of(const struct dts_network *n, int slot, int layer,
                                   bool behind)
{
    const struct dts_layer_call *c = &n->calls[layer];
    const struct dts_node *node = &n->nodes[layer];
    struct dts_arrays a = {
        .batch = n->options.batch,
        .y = made_of(n, slot, layer, behind),
        .target = n->slots[slot].target_parts[layer] != NULL
                      ? n->slots[slot].target_parts[layer]
                      : n->slots[slot].target[layer].there,
        .dy = node->op->loss ? NULL : made_gradient_of(n, slot, layer),
        .saved = dts_network_at(n, slot, behind ? node->saved_again : node->saved),
        .state = (char *)n->states.there + node->state,
        .first = node->first,
        .all = node->all,
        .places = node->drawn,
        .seed = n->options.seed + (uint64_t)layer, // layers draw apart from one another
    };
    for (int i = 0; i < c->call.input_count; i++) {
        a.x[i] = c->gathers ? wide_of(n, slot, c->inputs[i], behind)
                            : output_of(n, slot, c->inputs[i], behind);
        if (c->wants[i])
            a.dx[i] = c->adds[i] ? dts_network_at(n, slot, node->more[i])
                                 : sum_of(n, slot, layer, c->inputs[i]);
    }
    for (int p = 0; p < c->call.param_count; p++) {
        const int from = c->param_layers[p], number = c->param_numbers[p];
        a.w[p] = (const float *)n->weights.there + dts_network_offset(n, from, number);
        if (node->zeros != NULL && p == c->call.param_count - 1)
            a.w[p] = node->zeros;
        if (node->rows == NULL)
            a.dw[p] =
                (float *)n->gradients.there + dts_network_gradient_offset(n, from, number);
        if (node->shift > 0) {
            a.w[p] = (const float *)a.w[p] + node->shift;
            a.dw[p] = (float *)a.dw[p] + node->shift;
        }
    }
    return a;
}

static void gather(struct dts_network *n, int slot)
{
    const struct dts_network_slot *s = &n->slots[slot];
    for (int l = 0; l < n->model->layer_count; l++)
        if (n->nodes[l].op != NULL) {
            s->arrays[l] = arrays_of(n, slot, l, false);
            s->arrays_back[l] = arrays_of(n, slot, l, true);
        }
}

void dts_network_gather(struct dts_network *n)
{
    for (int s = 0; s < n->options.slots; s++)
        gather(n, s);
}

/* Before a call ranks gather: its input, or the gradient of its output. */
static struct dts_network_exchanged gathered(const struct dts_network *n, int layer,
                                             bool backward)
{
    const int slot = n->slot, input = n->calls[layer].inputs[0];
    if (backward)
        return (struct dts_network_exchanged){gradient_of(n, slot, layer),
                                              made_gradient_of(n, slot, layer), false};
    return (struct dts_network_exchanged){output_of(n, slot, input, n->part.again),
                                          wide_of(n, slot, input, n->part.again), false};
}

struct dts_network_exchanged dts_network_exchanged(const struct dts_network *n, int layer,
                                                   bool backward, bool before)
{
    const struct dts_layer_call *c = &n->calls[layer];
    const int slot = n->slot;
    if (before)
        return gathered(n, layer, backward);
    if (!backward) {
        float *to = output_of(n, slot, c->output, n->part.again);
        return (struct dts_network_exchanged){made_of(n, slot, layer, n->part.again), to,
                                              false};
    }
    if (!c->wants[0])
        return (struct dts_network_exchanged){NULL, NULL, false};
    return (struct dts_network_exchanged){sum_of(n, slot, layer, c->inputs[0]),
                                          gradient_of(n, slot, c->inputs[0]), c->joins};
}

void dts_network_bind(struct dts_network *n, enum dts_network_edge edge, int slot, void *values)
{
    assert(n->slots[slot].edges[edge].bytes > 0);
    dts_mirror_lie(&n->slots[slot].edges[edge], values);
    gather(n, slot);
}

/* network_range.c -- a range of a model's layers, and the tensors that go over its two cuts.
 *
 * A tensor goes over a cut if a call before it writes it and a call behind it reads it: the
 * residual stream of a transformer, not the inside of a block. One can.
 *
 * Which gradients are written and which added (train/model/calls.h) is that of the whole model:
 * the last taker of a tensor writes, in whatever stage it is, so that behind the cut the
 * entry's gradient is written, and before it the exit's is added to. The sums are one
 * network's, in its order.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "train/network/network_private.h"

/* What goes over a cut, and the first call that reads it. */
struct crossing {
    int tensor, reader;
};

static bool refuse(const struct dts_model *model, int cut, const struct crossing *one,
                   const struct crossing *other, struct dts_error *err)
{
    const struct dts_layer *layers = model->layers;
    return dts_fail(err, DTS_UNSUPPORTED,
                    "%s: cannot be cut before layer %s: one output can go over a cut, and "
                    "those of %s and %s are read behind it, by %s and %s",
                    model->name, layers[cut].name, layers[one->tensor].name,
                    layers[other->tensor].name, layers[one->reader].name,
                    layers[other->reader].name);
}

static bool find_crossing(const struct dts_model *model, const struct dts_layer_call *calls,
                          int cut, int *tensor, struct dts_error *err)
{
    struct crossing found = {DTS_CALL_ENTRY, DTS_CALL_ENTRY};
    for (int l = cut; l < model->layer_count; l++)
        for (int i = 0; calls[l].call.op != NULL && i < calls[l].call.input_count; i++) {
            const struct crossing here = {calls[l].inputs[i], l};
            if (here.tensor == DTS_CALL_ENTRY || here.tensor >= cut)
                continue;
            if (found.tensor == DTS_CALL_ENTRY)
                found = here;
            if (found.tensor != here.tensor)
                return refuse(model, cut, &found, &here, err);
        }
    *tensor = found.tensor;
    return true;
}

bool dts_network_cut(const struct dts_model *model, int cut, int *layer, struct dts_error *err)
{
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, false, calls);
    const bool good = find_crossing(model, calls, cut, layer, err);
    free(calls);
    return good;
}

static bool find_ends(struct dts_network *n, struct dts_error *err)
{
    const struct dts_layer *layers = n->model->layers;
    return find_crossing(n->model, n->calls, n->first, &n->entry, err) &&
           find_crossing(n->model, n->calls, n->end, &n->exit, err) &&
           (n->exit == DTS_CALL_ENTRY || n->exit >= n->first ||
            dts_fail(err, DTS_UNSUPPORTED,
                     "%s: layers %s to %s cannot be a stage: they make nothing that is read "
                     "behind them, where %s is",
                     n->model->name, layers[n->first].name, layers[n->end - 1].name,
                     layers[n->exit].name));
}

/* Running statistics: where they are among those of the whole model. */
static void find_states(struct dts_network *n)
{
    for (int l = 0; l < n->model->layer_count; l++) {
        struct dts_node *node = &n->nodes[l];
        if (node->op == NULL || node->op->state_bytes == NULL)
            continue;
        const size_t bytes =
            node->op->state_bytes(&n->calls[l].call, n->options.batch, sizeof(float));
        node->state_bytes = (bytes + 63) / 64 * 64;
        node->whole_state = n->whole_state_bytes;
        n->whole_state_bytes += node->state_bytes;
        if (!dts_range_has(n->model, &n->options.range, l))
            continue;
        node->state = n->state_bytes;
        n->state_bytes += node->state_bytes;
    }
}

/* What ranks gather, and what they sum up, is there where the first layer that takes it brings
 * it. */
static bool check_brought(const struct dts_network *n, struct dts_error *err)
{
    for (int l = n->first; l < n->end; l++) {
        const struct dts_layer_call *c = &n->calls[l];
        bool brought = !c->gathers && !(c->splits && c->wants[0]);
        for (int k = n->first; k <= l && !brought; k++)
            brought = n->calls[k].brings && n->calls[k].inputs[0] == n->calls[l].inputs[0];
        if (!brought)
            return dts_fail(err, DTS_UNSUPPORTED,
                            "%s: layer %s: its input is exchanged by a layer before the stage",
                            n->model->name, n->model->layers[l].name);
    }
    return true;
}

bool dts_network_cut_out(struct dts_network *n, struct dts_error *err)
{
    if (!find_ends(n, err) || !check_brought(n, err))
        return false;
    find_states(n);
    for (int l = 0; l < n->model->layer_count; l++) {
        struct dts_node *node = &n->nodes[l];
        const struct dts_layer_call *c = &n->calls[l];
        if (l < n->first || l >= n->end) {
            node->op = NULL;
            node->targets = 0;
        }
        // the targets of a loss may follow from the input
        n->reads_input = n->reads_input || (node->op != NULL && node->op->loss);
        for (int i = 0; node->op != NULL && i < c->call.input_count; i++)
            n->reads_input = n->reads_input || c->inputs[i] == DTS_CALL_ENTRY;
    }
    return true;
}

/* network.c -- a network from a model: operations, parameters, memory. */
#include "train/network/network.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/spare_memory.h"
#include "train/network/first_weights.h"
#include "train/network/network_private.h"

static bool check_precision(const struct dts_network *n, struct dts_error *err)
{
    return n->mixed || dts_precision_bytes(n->options.precision) == sizeof(float) ||
           dts_fail(err, DTS_UNSUPPORTED, "precision: no kernels compute in %s",
                    dts_precision_name(n->options.precision));
}

static bool find_operations(struct dts_network *n, struct dts_error *err)
{
    for (int l = 0; l < n->model->layer_count; l++) {
        const struct dts_layer_call *c = &n->calls[l];
        const struct dts_layer *layer = &n->model->layers[l];
        if (c->call.op == NULL)
            continue;
        const struct dts_operation *op = dts_operation_find(c->call.op);
        if (op == NULL || dts_place_version(dts_network_where(n), op)->forward == NULL)
            return dts_fail(err, DTS_UNSUPPORTED, "%s: %s: no operation carries out %s",
                            n->model->name, layer->name, c->call.op);
        if (layer->param_count > 0 && layer->params[0].drawn > 0)
            return dts_fail(err, DTS_UNSUPPORTED,
                            "%s: %s: sampled: no kernels compute a part of the outputs",
                            n->model->name, layer->name);
        n->nodes[l].op = op;
        for (int i = 0; i < c->call.input_count; i++)
            if (op->tokens && c->inputs[i] != DTS_CALL_ENTRY)
                return dts_fail(err, DTS_UNSUPPORTED,
                                "%s: %s: kernels take tokens from the samples alone, and its "
                                "input is a layer",
                                n->model->name, layer->name);
        for (int i = 0; i < c->call.input_count; i++)
            n->tokens = n->tokens || (op->tokens && c->inputs[i] == DTS_CALL_ENTRY);
        if (op->loss)
            n->nodes[l].targets = (op->classes ? dts_dims_positions(&c->call.inputs[0])
                                               : dts_dims_elements(&c->call.inputs[0])) *
                                  (size_t)n->contexts;
    }
    return true;
}

/* A call that no loss depends on has no gradient to start from. */
static void find_learners(struct dts_network *n)
{
    bool *needed = dts_alloc((size_t)n->model->layer_count, sizeof(*needed));
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        struct dts_layer_call *c = &n->calls[l];
        needed[l] = needed[l] || (n->nodes[l].op != NULL && n->nodes[l].op->loss);
        c->learns = c->learns && needed[l];
        for (int i = 0; needed[l] && n->nodes[l].op != NULL && i < c->call.input_count; i++)
            if (c->inputs[i] != DTS_CALL_ENTRY)
                needed[c->inputs[i]] = true;
    }
    free(needed);
    dts_calls_gradients(n->model, n->calls);
}

static void find_layout(struct dts_network *n)
{
    n->layout.model = n->model;
    n->layout.lists = n->options.sparse && dts_sparse_has_lists(n->options.space);
    n->layout.but = n->options.sparse_but;
    dts_layout_add(&n->layout, &n->options.range);
    for (int i = 0; i < n->layout.count; i++) {
        const struct dts_layout_tensor *t = &n->layout.tensors[i];
        struct dts_node *node = &n->nodes[t->user];
        node->first_tensor = node->tensors == 0 ? i : node->first_tensor;
        node->tensors++;
        if (t->listed)
            node->rows = dts_alloc(1, sizeof(*node->rows));
    }
}

static const struct dts_layout_tensor *tensor(const struct dts_network *n, int layer,
                                              int number)
{
    const struct dts_layout_tensor *found = dts_layout_find(&n->layout, layer, number);
    assert(found != NULL);
    return found;
}

size_t dts_network_offset(const struct dts_network *n, int layer, int number)
{
    return tensor(n, layer, number)->offset;
}

size_t dts_network_gradient_offset(const struct dts_network *n, int layer, int number)
{
    return tensor(n, layer, number)->gradient;
}

const struct dts_sparse *dts_network_rows(const struct dts_network *n, int layer)
{
    return n->nodes[layer].rows;
}

const int32_t *dts_network_words(const struct dts_network *n, int layer, size_t *count)
{
    const struct dts_layer_call *call = &n->calls[layer];
    if (!n->tokens || n->nodes[layer].op == NULL || call->inputs[0] != DTS_CALL_ENTRY)
        return NULL;
    *count = (size_t)n->options.batch * dts_dims_elements(&call->call.inputs[0]);
    return dts_network_now(n)->input.here;
}

void dts_network_swap_rows(struct dts_network *n, int layer, struct dts_sparse *list)
{
    const struct dts_sparse keep = *n->nodes[layer].rows;
    *n->nodes[layer].rows = *list;
    *list = keep;
}

/* The system hands out memory that it does not have, and ends who uses it. */
static bool check_memory(const struct dts_network *n, struct dts_error *err)
{
    const double spare_bytes = dts_spare_memory_bytes();
    const double inputs = (double)n->options.slots * (double)n->options.batch *
                          (double)dts_dims_elements(&n->model->input);
    const double bytes = (double)dts_network_bytes(n) + inputs * sizeof(float);
    return dts_space_is_apart(n->space) || bytes <= spare_bytes ||
           dts_fail(err, DTS_SYSTEM,
                    "%s: does not fit: batch %d needs %.1f GB of memory, and %.1f GB are free",
                    n->model->name, n->options.batch, bytes / 1e9, spare_bytes / 1e9);
}

/* Big memory may be missing: that is an error, not the end of the program. */
static bool get_memory(struct dts_network *n, struct dts_error *err)
{
    return dts_network_get_slots(n, err) && dts_network_get_parameters(n, err) &&
           dts_space_get(n->space, n->arena_bytes, &n->arena, err) &&
           dts_mirror_make(&n->states, n->space, NULL, n->state_bytes, err);
}

/* Where it computes: as the options say, or on this CPU. */
static bool find_space(struct dts_network *n, struct dts_error *err)
{
    const struct dts_space_request request = {.threads = n->options.threads};
    n->space = n->options.space;
    if (n->space != NULL)
        return true;
    if (!dts_space_open(&n->own_space, dts_space_find("cpu"), &request, err))
        return false;
    n->space = n->own_space;
    return true;
}

/* Of a model that is one rank's part: which rows or classes, and who adds a bias. */
static void take_parts(struct dts_network *n)
{
    for (int l = 0; l < n->model->layer_count; l++) {
        const struct dts_layer *layer = &n->model->layers[l];
        struct dts_node *node = &n->nodes[l];
        if (layer->part == NULL || node->op == NULL)
            continue;
        node->first = layer->part->first;
        node->all = layer->part->all;
        node->shift = layer->part->shift;
        node->drawn = layer->part->drawn;
        if (layer->part->no_bias && layer->part->call.bias)
            node->zeros = dts_alloc(layer->params[layer->param_count - 1].count, sizeof(float));
    }
}

bool dts_network_prepare(struct dts_network *n, const struct dts_model *model,
                         const struct dts_network_options *options, struct dts_error *err)
{
    const size_t layers = (size_t)model->layer_count;
    n->model = model;
    n->options = *options;
    n->options.slots = options->slots > 1 ? options->slots : 1;
    n->first = options->range.first;
    n->end = dts_range_end(model, &options->range);
    const struct dts_layer_part *part = model->layers[0].part;
    n->context = part != NULL ? part->context : 0;
    n->contexts = part != NULL && part->contexts > 0 ? part->contexts : 1;
    n->calls = dts_alloc(layers, sizeof(*n->calls));
    n->nodes = dts_alloc(layers, sizeof(*n->nodes));
    n->slots = dts_alloc((size_t)n->options.slots, sizeof(*n->slots));
    // a sum over ranks comes between a layer that has a part and what follows it
    dts_model_calls(model, !options->unfused && model->layers[0].part == NULL, n->calls);
    n->mixed = dts_precision_is_half(options->precision, &n->half);
    find_layout(n);
    if (!find_space(n, err) || !check_precision(n, err) || !find_operations(n, err))
        return false;
    if (n->options.again_count > 0 && dts_space_is_apart(n->space))
        return dts_fail(err, DTS_UNSUPPORTED,
                        "%s: layers run again before backward on CPUs alone", model->name);
    find_learners(n);
    if (!dts_network_cut_out(n, err))
        return false;
    take_parts(n);
    dts_network_find_moments(n);
    dts_network_place(n);
    return true;
}

bool dts_network_make(struct dts_network **network, const struct dts_model *model,
                      const struct dts_network_options *options, struct dts_error *err)
{
    struct dts_network *n = dts_alloc(1, sizeof(*n));
    if (!dts_network_prepare(n, model, options, err) || !check_memory(n, err) ||
        !get_memory(n, err)) {
        dts_network_free(n);
        return false;
    }
    dts_network_gather(n);
    dts_first_weights_of(&n->layout, options->seed, n->weights.here);
    dts_mirror_store_all(&n->weights);
    *network = n;
    return true;
}

void dts_network_free(struct dts_network *n)
{
    if (n == NULL)
        return;
    for (int l = 0; l < n->model->layer_count; l++) {
        if (n->nodes[l].rows != NULL)
            dts_sparse_free(n->nodes[l].rows);
        free(n->nodes[l].rows);
        free(n->nodes[l].zeros);
    }
    for (int i = 0; i < 2; i++)
        dts_sparse_free(&n->spare[i]);
    dts_mirror_free(&n->weights);
    dts_mirror_free(&n->gradients);
    dts_network_leave_room(n, &n->weights_room);
    dts_network_leave_room(n, &n->gradients_room);
    dts_mirror_free(&n->states);
    dts_network_free_slots(n);
    dts_space_give_back(n->space, n->arena);
    dts_space_close(n->own_space);
    free(n->leases);
    free(n->calls);
    free(n->nodes);
    dts_layout_free(&n->layout);
    free(n);
}

size_t dts_network_parameters(const struct dts_network *n)
{
    return n->layout.parameters;
}

const struct dts_layout *dts_network_layout(const struct dts_network *n)
{
    return &n->layout;
}

float *dts_network_weights(struct dts_network *n)
{
    return n->weights.here;
}

float *dts_network_gradients(struct dts_network *n)
{
    return n->gradients.here;
}

size_t dts_network_classes(const struct dts_network *n, int layer)
{
    return n->nodes[layer].all > 0 ? n->nodes[layer].all
                                   : dts_dims_features(&n->calls[layer].call.inputs[0]);
}

void dts_network_use_gradients(struct dts_network *n, float *gradients)
{
    dts_mirror_lie(&n->gradients, gradients);
    dts_network_leave_room(n, &n->gradients_room);
    dts_network_gather(n);
}

void dts_network_use_weights(struct dts_network *n, float *weights)
{
    memcpy(weights, n->weights.here, n->weights.bytes);
    dts_mirror_lie(&n->weights, weights);
    dts_network_leave_room(n, &n->weights_room);
    dts_network_gather(n);
}

/* Its place in another layout. */
static const struct dts_layout_tensor *place_in(const struct dts_layout *layout,
                                                const struct dts_layout_tensor *t)
{
    for (int i = 0; i < layout->count; i++)
        if (layout->tensors[i].layer == t->layer && layout->tensors[i].number == t->number &&
            layout->tensors[i].user == t->user)
            return &layout->tensors[i];
    return NULL;
}

void dts_network_lie_among(struct dts_network *n, const struct dts_layout *layout,
                           float *weights, float *gradients)
{
    assert(!n->layout.lists && !layout->lists && !dts_space_is_apart(n->space));
    for (int i = 0; i < n->layout.count; i++) {
        struct dts_layout_tensor *t = &n->layout.tensors[i];
        const struct dts_layout_tensor *place = place_in(layout, t);
        assert(place != NULL);
        memcpy(weights + place->offset, (float *)n->weights.here + t->offset,
               t->param->count * sizeof(float));
        t->offset = place->offset;
        t->gradient = place->gradient;
    }
    dts_mirror_lie(&n->weights, weights);
    dts_mirror_lie(&n->gradients, gradients);
    dts_network_leave_room(n, &n->weights_room);
    dts_network_leave_room(n, &n->gradients_room);
    dts_network_gather(n);
}

const struct dts_mirror *dts_network_mirror(const struct dts_network *n,
                                            enum dts_network_array array)
{
    const struct dts_mirror *mirrors[] = {&n->weights, &n->gradients, &n->states};
    return mirrors[array];
}

void *dts_network_states(struct dts_network *n, size_t *bytes)
{
    *bytes = n->state_bytes;
    return n->states.here;
}

struct dts_workers *dts_network_workers(struct dts_network *n)
{
    return dts_network_where(n)->workers;
}

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
        n->nodes[l].op = op;
        for (int i = 0; i < c->call.input_count; i++)
            n->tokens = n->tokens || (op->tokens && c->inputs[i] == DTS_CALL_ENTRY);
        if (op->loss)
            n->nodes[l].targets = op->classes ? dts_dims_positions(&c->call.inputs[0])
                                              : dts_dims_elements(&c->call.inputs[0]);
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

static void find_offsets(struct dts_network *n)
{
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        const struct dts_layer *layer = &n->model->layers[l];
        n->offsets[l] = n->parameter_count;
        n->gradient_offsets[l] = n->gradient_count;
        for (int p = 0; p < layer->param_count; p++)
            n->parameter_count += layer->params[p].count;
        if (n->lists && layer->param_count > 0 && layer->params[0].sparse_row > 0)
            n->nodes[l].rows = dts_alloc(1, sizeof(*n->nodes[l].rows));
        else
            n->gradient_count += n->parameter_count - n->offsets[l];
    }
}

size_t dts_network_offset(const struct dts_network *n, int layer, int number)
{
    size_t offset = n->offsets[layer];
    for (int p = n->model->layers[layer].param_count - 1; p > number; p--)
        offset += n->model->layers[layer].params[p].count;
    return offset;
}

size_t dts_network_gradient_offset(const struct dts_network *n, int layer, int number)
{
    return n->gradient_offsets[layer] +
           (dts_network_offset(n, layer, number) - n->offsets[layer]);
}

const struct dts_sparse *dts_network_rows(const struct dts_network *n, int layer)
{
    return n->nodes[layer].rows;
}

/* The system hands out memory that it does not have, and ends who uses it. */
static bool check_memory(const struct dts_network *n, struct dts_error *err)
{
    const double spare_bytes = dts_spare_memory_bytes();
    const double inputs =
        (double)n->options.batch * (double)dts_dims_elements(&n->model->input);
    const double bytes = (double)dts_network_bytes(n) + inputs * sizeof(float);
    return dts_space_is_apart(n->space) || bytes <= spare_bytes ||
           dts_fail(err, DTS_SYSTEM,
                    "%s: does not fit: batch %d needs %.1f GB of memory, and %.1f GB are free",
                    n->model->name, n->options.batch, bytes / 1e9, spare_bytes / 1e9);
}

/* Big memory may be missing: that is an error, not the end of the program. */
static bool get_memory(struct dts_network *n, struct dts_error *err)
{
    const size_t batch = (size_t)n->options.batch;
    struct dts_space *space = n->space;
    for (int l = 0; l < n->model->layer_count; l++) {
        const size_t targets = batch * n->nodes[l].targets * sizeof(float);
        if (targets > 0 && !dts_mirror_make(&n->nodes[l].target, space, NULL, targets, err))
            return false;
    }
    const size_t inputs = batch * dts_dims_elements(&n->model->input);
    return dts_mirror_make(&n->input, space, NULL, inputs * sizeof(float), err) &&
           (!n->mixed || n->tokens ||
            dts_space_get(space, inputs * sizeof(uint16_t), &n->input_half, err)) &&
           dts_network_get_parameters(n, err) &&
           dts_space_get(space, n->arena_bytes, &n->arena, err) &&
           dts_mirror_make(&n->states, space, NULL, n->state_bytes, err);
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

bool dts_network_prepare(struct dts_network *n, const struct dts_model *model,
                         const struct dts_network_options *options, struct dts_error *err)
{
    const size_t layers = (size_t)model->layer_count;
    n->model = model;
    n->options = *options;
    n->calls = dts_alloc(layers, sizeof(*n->calls));
    n->nodes = dts_alloc(layers, sizeof(*n->nodes));
    n->offsets = dts_alloc(layers, sizeof(*n->offsets));
    n->gradient_offsets = dts_alloc(layers, sizeof(*n->gradient_offsets));
    dts_model_calls(model, !options->unfused, n->calls);
    n->mixed = dts_precision_is_half(options->precision, &n->half);
    n->lists = options->sparse && dts_sparse_has_lists(options->space);
    find_offsets(n);
    if (!find_space(n, err) || !check_precision(n, err) || !find_operations(n, err))
        return false;
    find_learners(n);
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
    dts_first_weights(model, options->seed, n->weights.here);
    dts_mirror_store_all(&n->weights);
    *network = n;
    return true;
}

void dts_network_free(struct dts_network *n)
{
    if (n == NULL)
        return;
    for (int l = 0; l < n->model->layer_count; l++) {
        dts_mirror_free(&n->nodes[l].target);
        if (n->nodes[l].rows != NULL)
            dts_sparse_free(n->nodes[l].rows);
        free(n->nodes[l].rows);
    }
    for (int i = 0; i < 2; i++)
        dts_sparse_free(&n->spare[i]);
    dts_mirror_free(&n->weights);
    dts_mirror_free(&n->gradients);
    dts_network_leave_room(n, &n->weights_room);
    dts_network_leave_room(n, &n->gradients_room);
    dts_mirror_free(&n->states);
    dts_mirror_free(&n->input);
    dts_space_give_back(n->space, n->input_half);
    dts_space_give_back(n->space, n->arena);
    dts_space_close(n->own_space);
    free(n->leases);
    free(n->calls);
    free(n->nodes);
    free(n->offsets);
    free(n->gradient_offsets);
    free(n);
}

size_t dts_network_parameters(const struct dts_network *n)
{
    return n->parameter_count;
}

float *dts_network_weights(struct dts_network *n)
{
    return n->weights.here;
}

float *dts_network_gradients(struct dts_network *n)
{
    return n->gradients.here;
}

void *dts_network_input(struct dts_network *n, bool *tokens)
{
    *tokens = n->tokens;
    return n->input.here;
}

void *dts_network_target(struct dts_network *n, int layer, size_t *count, bool *classes)
{
    *count = n->nodes[layer].targets;
    *classes = n->nodes[layer].op != NULL && n->nodes[layer].op->classes;
    return n->nodes[layer].target.here;
}

size_t dts_network_classes(const struct dts_network *n, int layer)
{
    return dts_dims_features(&n->calls[layer].call.inputs[0]);
}

void dts_network_use_gradients(struct dts_network *n, float *gradients)
{
    assert(n->gradient_count == n->parameter_count);
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

size_t dts_network_bytes(const struct dts_network *n)
{
    size_t lists = dts_sparse_bytes(&n->spare[0]) + dts_sparse_bytes(&n->spare[1]);
    for (int l = 0; l < n->model->layer_count; l++)
        lists += n->nodes[l].rows != NULL ? dts_sparse_bytes(n->nodes[l].rows) : 0;
    return n->arena_bytes + n->state_bytes + lists +
           (n->parameter_count + n->gradient_count) * sizeof(float);
}

struct dts_workers *dts_network_workers(struct dts_network *n)
{
    return dts_network_where(n)->workers;
}

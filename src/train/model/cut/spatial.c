/* spatial.c -- images divided into strips over spatial ranks, and what these exchange (Dryden
 * et al. 2019, arXiv:1903.06681; Kahira et al. 2021, arXiv:2104.09075, "spatial").
 *
 *     windows           forward the rows of x that a neighbour has; backward a convolution
 *                       needs rows of dL/dy, and a pool sends back the rows of dL/dx that it
 *                       made for a neighbour
 *     batch norm        sums of all places: 2 for each channel, forward and backward
 *     global pool       the sum of what strips have
 *     all else          place by place; or, from there on, all ranks do the same: they gather
 *
 * Along several axes rows go one axis after another, with the corners that came before.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/model/calls.h"
#include "train/model/cut/cut_private.h"

const char *dts_cut_axis_name(const struct dts_dims *image, int axis)
{
    static const char *const names[] = {"depth", "height", "width"};
    return names[DTS_OP_AXES - (image->count - 1) + axis];
}

static bool is_one_of(const struct dts_cutter *c, int layer, const char *const *kinds)
{
    for (int i = 0; kinds[i] != NULL; i++)
        if (dts_cut_is_kind(c->model, layer, kinds[i]))
            return true;
    return false;
}

static bool works_by_place(const struct dts_cutter *c, int layer)
{
    static const char *const kinds[] = {"relu",
                                        "relu6",
                                        "leaky_relu",
                                        "silu",
                                        "sigmoid",
                                        "tanh",
                                        "gelu",
                                        "hardsigmoid",
                                        "hardswish",
                                        "dropout",
                                        "add",
                                        "multiply",
                                        "concat",
                                        "stochastic_depth",
                                        "layer_scale",
                                        "batch_norm",
                                        "global_pool",
                                        "mean_squared_error",
                                        "softmax_cross_entropy",
                                        NULL};
    return is_one_of(c, layer, kinds);
}

static bool has_windows(const struct dts_cutter *c, int layer)
{
    static const char *const kinds[] = {
        "conv1d",           "conv2d",           "conv3d",   "conv_transpose1d",
        "conv_transpose2d", "conv_transpose3d", "max_pool", "avg_pool",
        "adaptive_pool",    "upsample_nearest", NULL};
    return is_one_of(c, layer, kinds);
}

/* The sizes of the layer's k-th input. */
static const struct dts_dims *input_of(const struct dts_cutter *c, int layer, int k)
{
    const int from = c->model->layers[layer].inputs[k];
    return from >= 0 ? &c->model->layers[from].output : &c->model->input;
}

/* Is what the layer takes from there in strips? */
static bool is_in_strips(const struct dts_cutter *c, int tensor)
{
    return tensor < 0 ? c->model->input.count >= 2 : c->cut->layers[tensor].places > 1;
}

/* Images all, in strips; beside them there may be a value for each channel. */
static bool has_strips(const struct dts_cutter *c, int layer)
{
    const struct dts_layer *l = &c->model->layers[layer];
    for (int i = 0; i < l->input_count; i++)
        if (!is_in_strips(c, l->inputs[i]) && (i == 0 || input_of(c, layer, i)->count >= 2))
            return false;
    return true;
}

/* The first axis that strips do not divide so that windows lie on them; -1: they do. */
static int wrong_axis(const struct dts_cutter *c, int layer, const struct dts_op_call *call)
{
    struct dts_cut_windows windows;
    for (int a = 0; a < DTS_OP_AXES; a++) {
        const int strips = c->cut->grid[a];
        if (strips == 1)
            continue;
        if (a + 1 >= call->inputs[0].count || call->inputs[0].size[a + 1] % (size_t)strips != 0)
            return a;
        if (has_windows(c, layer) && !dts_cut_windows_find(call, a, strips, &windows))
            return a;
    }
    return -1;
}

static void divide(const struct dts_cutter *c, struct dts_dims *image)
{
    for (int a = 0; a + 1 < image->count; a++)
        image->size[a + 1] /= (size_t)c->cut->grid[a];
}

/* Does the layer itself divide? It may leave a whole tensor. */
static bool is_divided(const struct dts_cutter *c, int layer, const struct dts_op_call *call)
{
    return (works_by_place(c, layer) || has_windows(c, layer)) && has_strips(c, layer) &&
           wrong_axis(c, layer, call) < 0;
}

/* At the network's entry there is nothing to gather. */
static bool refuse(const struct dts_cutter *c, int layer, const struct dts_op_call *call)
{
    const int axis = wrong_axis(c, layer, call);
    const char *path = c->question->path, *name = c->model->layers[layer].name;
    if (has_windows(c, layer) && axis >= 0 && axis + 1 >= call->inputs[0].count)
        return dts_fail(c->err, DTS_BAD_INPUT,
                        "%s: layer %s: spatial.grid divides axis %d of an image that has %d, "
                        "beside its channels: %s",
                        path, name, axis + 1, call->inputs[0].count - 1,
                        dts_dims_text(&call->inputs[0]).chars);
    if (axis < 0 || !has_windows(c, layer))
        return dts_fail(c->err, DTS_BAD_INPUT,
                        "%s: layer %s: spatial ranks divide images, not what \"%s\" reads: %s",
                        path, name, c->model->layers[layer].kind->name,
                        dts_dims_text(&call->inputs[0]).chars);
    struct dts_cut_windows windows;
    int fits = c->cut->grid[axis] - 1;
    while (fits > 1 && !dts_cut_windows_find(call, axis, fits, &windows))
        fits--;
    return dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: layer %s: %d spatial ranks cannot have equal strips of its %s (%zu "
                    "read, %zu made) "
                    "with whole windows; %s would",
                    path, name, c->cut->grid[axis], dts_cut_axis_name(&call->inputs[0], axis),
                    call->inputs[0].size[axis + 1], call->output.size[axis + 1],
                    dts_cut_hint(fits).chars);
}

bool dts_cut_spatial(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const struct dts_layer *l = &c->model->layers[layer];
    bool reads_strips = false;
    out->places = 1;
    if (c->cut->spatial == 1)
        return true;
    for (int i = 0; i < l->input_count; i++)
        reads_strips = reads_strips || is_in_strips(c, l->inputs[i]);
    if (!is_divided(c, layer, call)) {
        if (l->inputs[0] < 0)
            return refuse(c, layer, call);
        if (reads_strips && c->cut->whole_from < 0)
            c->cut->whole_from = layer;
        return true;
    }
    out->strips = true;
    for (int i = 0; i < call->input_count; i++)
        divide(c, &call->inputs[i]);
    if (call->output.count >= 2) {
        divide(c, &call->output);
        out->places = c->cut->spatial;
    } else if (c->cut->whole_from < 0 && dts_cut_is_kind(c->model, layer, "global_pool")) {
        c->cut->whole_from = layer;
    }
    return true;
}

static void exchange(struct dts_cut_layer *out, enum dts_cut_moment moment,
                     enum dts_coll_kind kind, double values)
{
    dts_cut_add(out, moment, DTS_CUT_SPATIAL, kind, values);
}

/* Rows of so many values each from either side; back: to where they came from. */
static void add_rows(struct dts_cut_layer *out, enum dts_cut_moment moment, int axis,
                     const struct dts_cut_edges *edges, double row, bool back)
{
    const size_t above = back ? edges->below : edges->above;
    const size_t below = back ? edges->above : edges->below;
    const size_t both = above < below ? above : below;
    const enum dts_cut_among among = (enum dts_cut_among)(DTS_CUT_PLACES + axis);
    dts_cut_add(out, moment, among, DTS_HALO, 2 * row * (double)both);
    dts_cut_add(out, moment, among, DTS_HALO_BEHIND, row * (double)(above - both));
    dts_cut_add(out, moment, among, DTS_HALO_BEFORE, row * (double)(below - both));
}

/* The halo of a strip along all axes. Returns its values, corners once. */
static double add_halo(const struct dts_cutter *c, int layer, enum dts_cut_moment moment,
                       const struct dts_dims *strip, bool gradients, bool back)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const struct dts_op_call whole = dts_model_call(c->model, layer);
    struct dts_dims grown = *strip;
    for (int a = 0; a + 1 < strip->count; a++) {
        struct dts_cut_windows windows;
        if (c->cut->grid[a] == 1)
            continue;
        dts_cut_windows_find(&whole, a, c->cut->grid[a], &windows);
        const struct dts_cut_edges *edges = gradients ? &windows.out : &windows.in;
        const double row = (double)dts_dims_elements(&grown) / (double)grown.size[a + 1];
        add_rows(out, moment, a, edges, row, back);
        grown.size[a + 1] += edges->above + edges->below;
    }
    return (double)dts_dims_elements(&grown) - (double)dts_dims_elements(strip);
}

/* The part of a strip's places that windows of so many edge rows reach, beside stride rows of
 * the other side for each. */
static double edge_share(const struct dts_cutter *c, int layer, bool gradients)
{
    const struct dts_cut_layer *out = &c->cut->layers[layer];
    const struct dts_op_call whole = dts_model_call(c->model, layer);
    const struct dts_dims *from = gradients ? &out->call.output : &out->call.inputs[0];
    const struct dts_dims *to = gradients ? &out->call.inputs[0] : &out->call.output;
    double inside = 1;
    for (int a = 0; a + 1 < to->count; a++) {
        struct dts_cut_windows windows;
        if (c->cut->grid[a] == 1)
            continue;
        dts_cut_windows_find(&whole, a, c->cut->grid[a], &windows);
        const struct dts_cut_edges *edges = gradients ? &windows.out : &windows.in;
        const double each = (double)to->size[a + 1] / (double)from->size[a + 1];
        const double rows =
            ceil((double)edges->above * each) + ceil((double)edges->below * each);
        inside *= fmax(0, 1 - rows / (double)to->size[a + 1]);
    }
    return 1 - inside;
}

static void add_windows(const struct dts_cutter *c, int layer)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const bool pool =
        strcmp(out->call.op, "max_pool") == 0 || strcmp(out->call.op, "avg_pool") == 0;
    const bool learns = dts_cut_input_learns(c, layer);
    const struct dts_dims *x = &out->call.inputs[0];
    const double halo = add_halo(c, layer, DTS_CUT_BEFORE_FORWARD, x, false, false);
    if (c->model->layers[layer].cost.saves_input)
        out->saved_values += halo;
    if (learns && pool)
        add_halo(c, layer, DTS_CUT_AFTER_BACKWARD, x, false, true);
    else if (learns)
        add_halo(c, layer, DTS_CUT_BEFORE_BACKWARD, &out->call.output, true, false);
    out->forward_edge = edge_share(c, layer, false);
    if (learns && !pool) // gradients of weights need nothing more
        out->backward_edge =
            edge_share(c, layer, true) * out->cost.input_flops / out->cost.backward_flops;
}

/* Does no layer before this one gather the tensor? */
static bool gathers_first(const struct dts_cutter *c, int layer, int tensor)
{
    for (int l = tensor + 1; l < layer; l++)
        if (dts_cut_reads(c->model, l, tensor) && !c->cut->layers[l].strips)
            return false;
    return true;
}

/* What comes in strips into a layer that all ranks have whole. Its gradient is there on all. */
static void gather(const struct dts_cutter *c, int layer)
{
    const struct dts_layer *l = &c->model->layers[layer];
    struct dts_cut_layer *out = &c->cut->layers[layer];
    for (int i = 0; i < l->input_count && i < DTS_CUT_AT_ONCE; i++) {
        const int from = l->inputs[i];
        if (from < 0 || !is_in_strips(c, from) || !gathers_first(c, layer, from))
            continue;
        const double all =
            (double)dts_dims_elements(&c->cut->layers[from].held) * c->cut->spatial;
        exchange(out, DTS_CUT_BEFORE_FORWARD, DTS_ALLGATHER, all);
        if (l->cost.backward_values > 0 || l->view) // backward reads it in one piece
            out->saved_values += all;
    }
}

/* Single floats, whatever the precision. */
static void add_statistics(const struct dts_cutter *c, int layer)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const double bytes = (double)dts_precision_bytes(c->question->precision);
    const double values = (double)out->cost.sums * sizeof(float) / bytes;
    const enum dts_cut_moment moments[] = {DTS_CUT_AMID_FORWARD, DTS_CUT_AMID_BACKWARD};
    for (int i = 0; i < 1 + (c->model->layers[layer].cost.backward_sum_values > 0); i++) {
        exchange(out, moments[i], DTS_ALLREDUCE, values);
        out->exchange[moments[i]][out->exchange_count[moments[i]] - 1].of_batch = true;
    }
}

void dts_cut_spatial_exchanges(const struct dts_cutter *c, int layer)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const struct dts_layer *l = &c->model->layers[layer];
    if (c->cut->spatial == 1)
        return;
    if (!out->strips) {
        gather(c, layer);
        return;
    }
    if (has_windows(c, layer))
        add_windows(c, layer);
    if (out->cost.sums > 0)
        add_statistics(c, layer);
    if (dts_cut_is_kind(c->model, layer, "global_pool"))
        exchange(out, DTS_CUT_AFTER_FORWARD, DTS_ALLREDUCE,
                 (double)dts_dims_elements(&out->call.output));
    if (l->input_count == 2 && input_of(c, layer, 1)->count == 1) // a factor of each channel
        exchange(out, DTS_CUT_AFTER_BACKWARD, DTS_ALLREDUCE,
                 (double)dts_dims_elements(&out->call.inputs[1]));
}

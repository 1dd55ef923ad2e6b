/* cut.c -- what each rank does of each layer, and how much of its seconds that takes. */
#include "train/model/cut/cut_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/calls.h"
#include "train/model/seconds/kernel_seconds.h"
#include "train/model/seconds/seconds_profile.h"

bool dts_cut_is_kind(const struct dts_model *m, int layer, const char *kind)
{
    return strcmp(m->layers[layer].kind->name, kind) == 0;
}

bool dts_cut_reads(const struct dts_model *m, int layer, int tensor)
{
    for (int i = 0; i < m->layers[layer].input_count; i++)
        if (m->layers[layer].inputs[i] == tensor)
            return true;
    return false;
}

/* A view has no backward call of its own. */
bool dts_cut_input_learns(const struct dts_cutter *c, int layer)
{
    int from = c->model->layers[layer].inputs[0];
    while (from >= 0 && c->model->layers[from].view)
        from = c->model->layers[from].inputs[0];
    return from >= 0 && c->model->layers[from].cost.backward_values > 0;
}

/* The most ranks below these that divide it. */
static int fits(size_t size, int ranks)
{
    do
        ranks--;
    while (size % (size_t)ranks != 0);
    return ranks;
}

struct dts_cut_hint dts_cut_hint(int fits)
{
    struct dts_cut_hint hint = {"no number"};
    if (fits > 1)
        snprintf(hint.chars, sizeof(hint.chars), "%d", fits);
    return hint;
}

bool dts_cut_divide(const struct dts_cutter *c, int layer, const char *which, int ranks,
                    const char *what, size_t *size)
{
    if (*size % (size_t)ranks != 0)
        return dts_fail(c->err, DTS_BAD_INPUT,
                        "%s: layer %s: %d %s ranks do not divide its %s, %zu; %s would",
                        c->question->path, c->model->layers[layer].name, ranks, which, what,
                        *size, dts_cut_hint(fits(*size, ranks)).chars);
    *size /= (size_t)ranks;
    return true;
}

void dts_cut_add(struct dts_cut_layer *layer, enum dts_cut_moment moment,
                 enum dts_cut_among among, enum dts_coll_kind kind, double values)
{
    if (values > 0)
        layer->exchange[moment][layer->exchange_count[moment]++] =
            (struct dts_cut_exchange){.among = among, .kind = kind, .values = values};
}

/* All that has positions is [positions, features]. */
double dts_cut_values(const struct dts_cutter *c, int layer)
{
    const struct dts_dims *dims =
        layer >= 0 ? &c->model->layers[layer].output : &c->model->input;
    const int places = layer >= 0         ? c->cut->layers[layer].places
                       : dims->count >= 2 ? c->cut->spatial
                                          : 1;
    return (double)dts_dims_elements(dims) / (dims->count == 2 ? c->question->context : 1) /
           places;
}

static double seconds(const struct dts_cut_question *q, const struct dts_layer *layer,
                      const struct dts_op_call *call, const struct dts_op_cost *cost,
                      double *backward_s)
{
    struct dts_layer seen = *layer;
    double forward_s;
    seen.cost = *cost;
    const struct dts_profile_work work = dts_layer_work(&seen);
    dts_layer_seconds(q->device, q->precision, layer, call, &work, q->batch, &forward_s,
                      backward_s);
    return forward_s;
}

/* What one rank does of a layer's work, by the roofline. */
static void set_shares(const struct dts_cut_question *q, const struct dts_layer *layer,
                       const struct dts_op_cost *whole, struct dts_cut_layer *out)
{
    double back_s, back_part_s;
    out->forward_share = out->backward_share = 1;
    if (out->way == DTS_CUT_NOT && q->context == 1 && !out->strips)
        return;
    const struct dts_op_call call = dts_model_call(q->model, (int)(layer - q->model->layers));
    const double s = seconds(q, layer, &call, whole, &back_s);
    const double part_s = seconds(q, layer, &out->call, &out->cost, &back_part_s);
    out->forward_share = s > 0 ? part_s / s : 1;
    out->backward_share = back_s > 0 ? back_part_s / back_s : 1;
}

/* The layer's own tensors; a tied one comes first in the call. */
static void set_params(const struct dts_layer *layer, struct dts_cut_layer *out)
{
    const int tied = layer->tied_to >= 0;
    for (int p = 0; p < layer->param_count; p++)
        out->params[p] = out->call.params[tied + p];
}

/* Of the network's input, which belongs to the layer that keeps it, what a rank has. */
static double kept_entry(const struct dts_cutter *c, const struct dts_layer *layer,
                         const struct dts_cut_layer *out, double *whole)
{
    const bool image = out->strips || out->way == DTS_CUT_FILTER || out->way == DTS_CUT_COLUMN;
    *whole = 0;
    if (layer->inputs[0] >= 0 || !layer->cost.saves_input || !image ||
        c->model->input.count < 2)
        return 0;
    *whole = (double)dts_dims_elements(&c->model->input);
    return *whole / c->cut->spatial;
}

static void set_saved(const struct dts_cutter *c, const struct dts_layer *layer,
                      const struct dts_op_cost *whole, struct dts_cut_layer *out)
{
    const double all = (double)dts_dims_elements(&layer->output);
    const double here = (double)dts_dims_elements(&out->held);
    const double beside = whole->saved_values < layer->cost.saved_values
                              ? layer->cost.saved_values - whole->saved_values
                              : 0; // tensors that the network keeps
    const bool learns = layer->cost.saved_values + layer->cost.saved_bytes > 0;
    double entry;
    const double mine = kept_entry(c, layer, out, &entry);
    entry = entry < beside ? entry : beside;
    out->saved_values =
        learns ? out->cost.saved_values + mine + (beside - entry) * here / all : 0;
    out->saved_bytes = learns ? out->cost.saved_bytes : 0;
    if (c->question->precision == DTS_FP8 && layer->cost.saved_values > 0)
        out->saved_bytes += layer->eight_bytes * out->saved_values / layer->cost.saved_values;
}

/* Of a mixture the router, whose gradient follows from what a part of the hidden values makes,
 * or of the rank's positions. */
static int summed_params(const struct dts_cutter *c, int l)
{
    const struct dts_cut_layer *out = &c->cut->layers[l];
    if (out->way == DTS_CUT_SEQUENCE)
        return c->model->layers[l].param_count;
    return out->way == DTS_CUT_EXPERTS && c->cut->ranks > 1 ? out->expert_params : 0;
}

static bool cut_layer(const struct dts_cutter *c, int l)
{
    const struct dts_layer *layer = &c->model->layers[l];
    struct dts_cut_layer *out = &c->cut->layers[l];
    out->call = dts_model_call(c->model, l);
    out->expert_params = -1;
    struct dts_op_cost whole = {.class = DTS_WORK_MEMORY};
    if (layer->kind->cost != NULL)
        whole = layer->kind->cost(&out->call);
    if (!dts_cut_spatial(c, l, &out->call))
        return false;
    out->held = out->call.output;
    out->way = dts_cut_way_of(c, l);
    if (!dts_cut_context(c, l, &out->call) || !dts_cut_tensor(c, l, out->way, &out->call))
        return false;
    if (out->way != DTS_CUT_FILTER)
        out->held = out->call.output;
    out->cost = layer->kind->cost != NULL ? layer->kind->cost(&out->call) : whole;
    set_params(layer, out);
    if (!dts_cut_experts(c, l))
        return false;
    out->summed_params = summed_params(c, l);
    set_shares(c->question, layer, &whole, out);
    set_saved(c, layer, &whole, out);
    for (int p = 0; p < layer->param_count; p++)
        c->cut->parameters += (double)out->params[p];
    return true;
}

static bool check_any(const struct dts_cutter *c)
{
    if (c->cut->ranks == 1)
        return true;
    for (int l = 0; l < c->model->layer_count; l++)
        if (c->cut->layers[l].way == DTS_CUT_ROW || c->cut->layers[l].way == DTS_CUT_FILTER ||
            c->cut->layers[l].way == DTS_CUT_CHANNEL)
            return true;
    bool convolutions = false;
    for (int l = 0; l < c->model->layer_count; l++)
        convolutions = convolutions || dts_cut_is_convolution(c->model, l);
    return dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: no two linear layers of %s follow one another so that tensor ranks "
                    "can divide them%s",
                    c->question->path, c->model->name,
                    convolutions ? "; \"convolutions\" says how they divide convolutions" : "");
}

bool dts_cut_find(struct dts_cut *cut, const struct dts_cut_question *q, struct dts_error *err)
{
    *cut = (struct dts_cut){.ranks = q->tensor,
                            .sequence = q->sequence && q->tensor > 1,
                            .context = q->context,
                            .experts = q->experts,
                            .reach = q->reach,
                            .spatial = 1,
                            .whole_from = -1};
    for (int a = 0; a < DTS_OP_AXES; a++) {
        cut->grid[a] = q->grid[a] > 0 ? q->grid[a] : 1;
        cut->spatial *= cut->grid[a];
    }
    cut->layers = dts_alloc((size_t)q->model->layer_count, sizeof(*cut->layers));
    const struct dts_cutter c = {cut, q, q->model, err};
    bool good = true;
    for (int l = 0; l < q->model->layer_count && good; l++) {
        good = cut_layer(&c, l);
        if (!good)
            break;
        dts_cut_expert_exchanges(&c, l);
        dts_cut_tensor_exchanges(&c, l);
        dts_cut_context_exchanges(&c, l);
        dts_cut_spatial_exchanges(&c, l);
    }
    if (good && check_any(&c))
        return true;
    dts_cut_free(cut);
    return false;
}

void dts_cut_free(struct dts_cut *cut)
{
    free(cut->layers);
    *cut = (struct dts_cut){0};
}

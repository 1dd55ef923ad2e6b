/* experts.c -- mixtures whose experts are on several ranks (GShard; Lepikhin et al. 2020,
 * arXiv:2006.16668).
 *
 * A position goes once to each expert that it asks, also where two of them are on one rank, as
 * in Megatron-LM's all-to-all dispatcher; a part of it stays on the rank. Expert ranks have all
 * of the router. Tensor ranks divide the hidden values of each expert, Megatron-LM's default:
 *
 *     one expert rank                     as linear layers: the sum, or gather and scatter
 *     several, whole tensors              each tensor rank sends all positions; the sum last
 *     several, the sequence divided       each sends its own; where the experts are tensor
 *                                         ranks gather what arrived, and scatter what leaves
 *
 * Padded, each expert gets of each sample as many positions as it may take, zeros among them,
 * so that all messages are of one size (GShard).
 */
#include <math.h>

#include "train/model/cut/cut_private.h"

bool dts_cut_sends_parts(const struct dts_cutter *c, int layer)
{
    return c->cut->layers[layer].way == DTS_CUT_EXPERTS && c->cut->sequence &&
           c->cut->experts > 1;
}

/* Positions of a sample that go to experts, each counted as often as it goes. */
static double sent_of(const struct dts_op_call *call)
{
    const double asked = (double)dts_dims_positions(&call->output) * call->chosen;
    return call->capacity > 0 && call->capacity < 1 ? asked * call->capacity : asked;
}

/* Of a sample, to all experts: all that each may take. */
static double padded_of(const struct dts_op_call *call)
{
    return call->experts * (double)dts_op_capacity(call, dts_dims_positions(&call->output));
}

/* What an expert has no room for passes by. */
static double skew_of(const struct dts_cutter *c, const struct dts_op_call *call)
{
    const double skew = c->question->skew;
    if (c->question->padded && c->cut->experts > 1)
        return fmax(1, padded_of(call) / sent_of(call));
    if (c->cut->experts == 1 || call->capacity <= 0 || skew <= call->capacity)
        return c->cut->experts > 1 ? skew : 1;
    return call->capacity > 1 ? call->capacity : 1;
}

/* The busiest rank: what grows with the positions of experts is more by the skew. Twice as many
 * asked tell that from the router. */
static void add_skew(const struct dts_layer *layer, double skew, struct dts_cut_layer *out)
{
    struct dts_op_call once = out->call, twice;
    once.capacity = 0;
    twice = once;
    twice.chosen *= 2;
    const struct dts_op_cost low = layer->kind->cost(&once), high = layer->kind->cost(&twice);
    const double more = (skew - 1) * sent_of(&out->call) / sent_of(&once);
    struct dts_op_cost *cost = &out->cost;
    cost->forward_flops += more * (high.forward_flops - low.forward_flops);
    cost->backward_flops += more * (high.backward_flops - low.backward_flops);
    cost->input_flops += more * (high.input_flops - low.input_flops);
    cost->product_flops += more * (high.product_flops - low.product_flops);
    cost->forward_values += more * (high.forward_values - low.forward_values);
    cost->backward_values += more * (high.backward_values - low.backward_values);
    cost->input_values += more * (high.input_values - low.input_values);
    cost->saved_values += more * (high.saved_values - low.saved_values);
}

/* The busiest rank gets no more than all positions that ask, each as often as it has experts.
 */
static bool check_skew(const struct dts_cutter *c, int l, size_t experts_of_rank)
{
    const double chosen = c->cut->layers[l].call.chosen, here = (double)experts_of_rank;
    const double most = c->cut->experts * fmin(chosen, here) / chosen;
    return c->question->skew <= most ||
           dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: expert.skew: must be at most %g: a position of layer %s asks %g "
                    "experts, and each of %d ranks has %g; got %g",
                    c->question->path, most, c->model->layers[l].name, chosen, c->cut->experts,
                    here, c->question->skew);
}

bool dts_cut_experts(const struct dts_cutter *c, int l)
{
    const struct dts_layer *layer = &c->model->layers[l];
    struct dts_cut_layer *out = &c->cut->layers[l];
    struct dts_op_call *call = &out->call;
    const size_t tensor = (size_t)c->cut->ranks;
    size_t experts = (size_t)call->experts;
    if (!dts_cut_is_kind(c->model, l, "moe"))
        return true;
    out->expert_params = 1; // behind the router
    if (out->way != DTS_CUT_EXPERTS)
        return true;
    size_t hidden = call->params[1] / experts / dts_dims_features(&call->output);
    if (!dts_cut_divide(c, l, "expert", c->cut->experts, "experts", &experts) ||
        !dts_cut_divide(c, l, "tensor", c->cut->ranks, "hidden features of an expert", &hidden))
        return false;
    if (!check_skew(c, l, experts))
        return false;
    for (int p = 1; p < call->param_count && !dts_cut_sends_parts(c, l); p++)
        call->params[p] /= tensor; // else a rank's part is of the positions, as to its cost
    out->cost = layer->kind->cost(call);
    if (skew_of(c, call) > 1)
        add_skew(layer, skew_of(c, call), out);
    for (int p = 1; p < layer->param_count; p++)
        out->params[p] /= tensor * (size_t)c->cut->experts;
    out->cost.weight_values = 0;
    for (int p = 0; p < layer->param_count; p++)
        out->cost.weight_values += (double)out->params[p];
    return true;
}

/* Behind what goes to experts, and before what comes back from them. */
static void exchange_parts(const struct dts_cutter *c, struct dts_cut_layer *out, double sent)
{
    const double all = sent * c->cut->ranks;
    dts_cut_add(out, DTS_CUT_BEFORE_FORWARD, DTS_CUT_TENSOR, DTS_ALLGATHER, all);
    dts_cut_add(out, DTS_CUT_BEFORE_BACKWARD, DTS_CUT_TENSOR, DTS_ALLGATHER, all);
    dts_cut_add(out, DTS_CUT_AFTER_FORWARD, DTS_CUT_TENSOR, DTS_REDUCE_SCATTER, all);
    dts_cut_add(out, DTS_CUT_AFTER_BACKWARD, DTS_CUT_TENSOR, DTS_REDUCE_SCATTER, all);
}

void dts_cut_expert_exchanges(const struct dts_cutter *c, int layer)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    if (out->way != DTS_CUT_EXPERTS || c->cut->experts == 1)
        return;
    const double positions = c->question->padded ? padded_of(&out->call)
                                                 : skew_of(c, &out->call) * sent_of(&out->call);
    const double sent = positions * (double)dts_dims_features(&out->call.output);
    dts_cut_add(out, DTS_CUT_BEFORE_FORWARD, DTS_CUT_EXPERT, DTS_ALLTOALL, sent);
    dts_cut_add(out, DTS_CUT_BEFORE_BACKWARD, DTS_CUT_EXPERT, DTS_ALLTOALL, sent);
    if (dts_cut_sends_parts(c, layer))
        exchange_parts(c, out, sent);
    dts_cut_add(out, DTS_CUT_AFTER_FORWARD, DTS_CUT_EXPERT, DTS_ALLTOALL, sent);
    dts_cut_add(out, DTS_CUT_AFTER_BACKWARD, DTS_CUT_EXPERT, DTS_ALLTOALL, sent);
}

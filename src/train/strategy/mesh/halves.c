/* halves.c -- calls that run in two parts, around or beside what ranks exchange.
 *
 *     compute   forward bn: sums |            | forward bn: rest
 *     spatial                    | all-reduce |
 *
 *     compute   forward conv: inside | forward conv      places that need no halo, then the
 * rest spatial   halo                 |
 */
#include <stdio.h>

#include "train/strategy/mesh/stage_private.h"

int dts_stage_rest(struct dts_stage_work *w, int first, double seconds)
{
    struct dts_plan *plan = w->stage->plan;
    char label[64];
    plan->ops[first].call.part = DTS_OP_SUMS;
    struct dts_call rest = plan->ops[first].call;
    rest.part = DTS_OP_REST;
    rest.seconds = seconds;
    snprintf(label, sizeof(label), "%.40s: rest", plan->ops[first].label);
    w->here = dts_plan_call(plan, DTS_COMPUTE, label, rest);
    return w->here;
}

int dts_stage_halves(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                     int layer, const int *waits, int count)
{
    const bool forward = dts_stage_is_forward(pass->pass);
    const struct dts_op_cost *cost = &w->stage->cut->layers[layer].cost;
    const double share = forward ? cost->forward_sum_values / cost->forward_values
                                 : cost->backward_sum_values / cost->backward_values;
    const int op = dts_stage_call(w, pass, slot, layer, layer, share);
    for (int i = 0; i < count; i++)
        dts_plan_after(w->stage->plan, waits[i]);
    const double seconds = w->stage->plan->ops[op].call.seconds;
    dts_stage_exchanges(w, pass, slot, layer,
                        forward ? DTS_CUT_AMID_FORWARD : DTS_CUT_AMID_BACKWARD, -1);
    const int rest = dts_stage_rest(w, op, seconds * (1 - share) / share);
    dts_stage_await_side(w);
    return rest;
}

int dts_stage_beside(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                     int first, int last, const int *waits, int count)
{
    const bool forward = dts_stage_is_forward(pass->pass);
    const int layer = forward ? first : last, halo = w->side;
    const struct dts_cut_layer *cut = &w->stage->cut->layers[layer];
    struct dts_plan *plan = w->stage->plan;
    w->side = -1; // the first call does not wait for it
    const int inside = dts_stage_call(w, pass, slot, layer, layer,
                                      1 - (forward ? cut->forward_edge : cut->backward_edge));
    char label[64];
    snprintf(label, sizeof(label), "%.36s: inside", plan->ops[inside].label);
    snprintf(plan->ops[inside].label, sizeof(plan->ops[inside].label), "%.47s", label);
    for (int i = 0; i < count; i++)
        dts_plan_after(plan, waits[i]);
    w->side = halo;
    const int op = dts_stage_call(w, pass, slot, first, last, 1);
    plan->ops[op].call.seconds -= plan->ops[inside].call.seconds;
    return op;
}

/* peak.c -- floating-point operations of a step against the device's peak. */
#include "train/model/seconds/peak.h"

#include <stdio.h>
#include <string.h>

#include "train/model/calls.h"

/* Peaks that were measured move with the clock, and published ones are of a clock that boards
 * exceed. */
static const double SLACK = 1.25; // ASSUMED

/* The share of a layer's operations that its fastest algorithm needs. */
static double least_share(const struct dts_model *model, int layer)
{
    const struct dts_op_call call = dts_model_call(model, layer);
    const struct dts_op_call_window *w = &call.window;
    const bool square = call.op != NULL && strcmp(call.op, "conv") == 0 &&
                        call.output.count == 3 && w->kernel[0] == 3 && w->kernel[1] == 3 &&
                        w->stride[0] == 1 && w->stride[1] == 1;
    return square ? 0.25 : 1;
}

/* Of a sample, forward and backward; as they are counted, or as the fastest algorithms need
 * them. */
static double flops_of(const struct dts_model *model, bool least)
{
    double flops = 0;
    for (int l = 0; l < model->layer_count; l++) {
        const struct dts_op_cost *cost = &model->layers[l].cost;
        if (cost->class != DTS_WORK_MEMORY)
            flops += (least ? least_share(model, l) : 1) *
                     (cost->forward_flops + cost->backward_flops);
    }
    return flops;
}

/* The fastest format that may stand in for the precision: its own, or one of at most 32 bits.
 */
static int fastest(const struct dts_device *device, enum dts_precision precision)
{
    int best = (int)precision;
    for (int p = 0; p < DTS_PRECISIONS; p++)
        if (p != DTS_FP64 && p != DTS_FP8 &&
            device->peak_flops_per_s[p] > device->peak_flops_per_s[best])
            best = p;
    return best;
}

bool dts_seconds_check_peak(const struct dts_peak_question *q,
                            struct dts_model_seconds *seconds, struct dts_error *err)
{
    const struct dts_device *device = q->device;
    const char *model = q->model->name;
    double seconds_s = 0;
    for (int l = 0; l < q->model->layer_count; l++)
        seconds_s += seconds->forward[l] + seconds->backward[l];
    if (seconds_s * device->peak_flops_per_s[q->precision] >=
        q->batch * flops_of(q->model, false))
        return true;
    const double flops = q->batch * flops_of(q->model, true);
    const int other = fastest(device, q->precision);
    const double own_s = flops / device->peak_flops_per_s[q->precision],
                 other_s = flops / device->peak_flops_per_s[other];
    if (seconds_s >= own_s / SLACK)
        return true;
    if (seconds_s < other_s / SLACK)
        return dts_doc_fail(
            q->doc, q->path, DTS_BAD_INPUT, err,
            "%.4g s for %g samples of %s forward and backward: %s needs %.4g s at "
            "its peak in %s",
            seconds_s, q->batch, model, device->name, other_s, dts_precision_name(other));
    snprintf(seconds->doubt, sizeof(seconds->doubt),
             "%.4g s of %s are less than %s needs in %s (%.4g s): was it %s?", seconds_s, model,
             device->name, dts_precision_name((int)q->precision), own_s,
             dts_precision_name(other));
    return true;
}

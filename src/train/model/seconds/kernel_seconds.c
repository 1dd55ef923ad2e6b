/* kernel_seconds.c -- seconds of a layer by the roofline, with what software says of its
 * kernels. */
#include "train/model/seconds/kernel_seconds.h"

#include <string.h>

#include "kernels/op_cost.h"
#include "train/model/calls.h"
#include "train/model/seconds/seconds_profile.h"

struct dts_device dts_kernel_device(const struct dts_device *bare,
                                    const struct dts_stack *stack, double attention)
{
    const struct dts_stack_kernels *kernels = &stack->kernels;
    struct dts_device device = *bare;
    double *const matmul = &device.efficiency[DTS_WORK_MATMUL];
    *matmul = kernels->matmul > 0 ? kernels->matmul : *matmul;
    *matmul = attention > 0 ? attention : *matmul;
    if (kernels->memory > 0)
        device.efficiency[DTS_WORK_MEMORY] = kernels->memory;
    return device;
}

static bool is_kind(const struct dts_layer *layer, const char *name)
{
    return layer->kind != NULL && strcmp(layer->kind->name, name) == 0;
}

/* A loss moves what the framework says: casts and copies that its own kernel has not. */
static struct dts_profile_work work_of(const struct dts_stack *stack,
                                       enum dts_precision precision,
                                       const struct dts_model *model, int l)
{
    const struct dts_layer *layer = &model->layers[l];
    struct dts_profile_work work = dts_layer_work(layer);
    const double bytes = stack->kernels.loss_value_bytes;
    if (bytes > 0 && is_kind(layer, "softmax_cross_entropy")) {
        const int from = layer->inputs[0];
        const double values =
            (double)dts_dims_elements(from >= 0 ? &model->layers[from].output : &model->input);
        work.forward_values = work.backward_values =
            values * bytes / 2 / (double)dts_precision_bytes(precision);
    }
    return work;
}

/* A kernel that casts reads values and writes them twice. */
static double cast_seconds(const struct dts_device *device, enum dts_precision precision,
                           double values)
{
    const struct dts_work work = {.class = DTS_WORK_MEMORY, .bytes = values * DTS_CAST_BYTES};
    return precision == DTS_FP8 ? dts_device_seconds(device, precision, &work) : 0;
}

double dts_weight_cast_seconds(const struct dts_device *device, enum dts_precision precision,
                               double parameters)
{
    return cast_seconds(device, precision, parameters);
}

void dts_layer_seconds(const struct dts_device *device, enum dts_precision precision,
                       const struct dts_layer *layer, const struct dts_op_call *call,
                       const struct dts_profile_work *work, double batch, double *forward_s,
                       double *backward_s)
{
    const enum dts_precision own = dts_layer_precision(layer, precision);
    dts_roofline_seconds(device, own, work, batch, forward_s, backward_s);
    if (own != DTS_FP8)
        return;
    *forward_s += cast_seconds(device, own, batch * dts_op_cast_values(call, false));
    *backward_s += cast_seconds(device, own, batch * dts_op_cast_values(call, true));
}

void dts_kernel_seconds(const struct dts_device *device, const struct dts_stack *stack,
                        enum dts_precision precision, double batch,
                        const struct dts_model *model, int l, double *forward_s,
                        double *backward_s)
{
    const struct dts_profile_work work = work_of(stack, precision, model, l);
    const struct dts_stack_kernels *kernels = &stack->kernels;
    const bool attends = is_kind(&model->layers[l], "attention");
    const double share = attends ? kernels->attention : 0;
    const double back =
        attends && kernels->attention_backward > 0 ? kernels->attention_backward : share;
    struct dts_device forward = dts_kernel_device(device, stack, share),
                      backward = dts_kernel_device(device, stack, back);
    double other_s;
    struct dts_op_call call = {0};
    if (dts_layer_precision(&model->layers[l], precision) == DTS_FP8) {
        call = dts_model_call(model, l);
        if (kernels->matmul_fp8 > 0)
            forward.efficiency[DTS_WORK_MATMUL] = backward.efficiency[DTS_WORK_MATMUL] =
                kernels->matmul_fp8;
    }
    dts_layer_seconds(&forward, precision, &model->layers[l], &call, &work, batch, forward_s,
                      &other_s);
    dts_layer_seconds(&backward, precision, &model->layers[l], &call, &work, batch, &other_s,
                      backward_s);
}

/* kernel_seconds.c -- seconds of a layer by the roofline, with what software says of its
 * kernels. */
#include "train/model/seconds/kernel_seconds.h"

#include <string.h>

#include "device/profile_estimate.h"
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
    const struct dts_device forward = dts_kernel_device(device, stack, share),
                            backward = dts_kernel_device(device, stack, back);
    double other_s;
    dts_roofline_seconds(&forward, precision, &work, batch, forward_s, &other_s);
    dts_roofline_seconds(&backward, precision, &work, batch, &other_s, backward_s);
}

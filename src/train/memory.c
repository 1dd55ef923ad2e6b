/* memory.c -- what training a model takes on a device (docs/model.md, "Memory").
 *
 *     weights       parameters x bytes of the precision; in fp16 and bf16 4 more for the fp32
 *                   copy that is updated
 *     gradients     parameters x bytes of the precision
 *     optimizer     parameters x state values x 4 bytes (8 in fp64)
 *     activations   batch x (what forward keeps + the gradients in flight)
 *
 * With Adam in fp16 that is 16 bytes a parameter (Rajbhandari et al. 2020, arXiv:1910.02054).
 * Left out: workspaces of convolutions, buffers of communication, the framework's own memory,
 * and what its allocator loses.
 */
#include "train/model.h"

struct dts_memory dts_model_memory(const struct dts_model *model,
                                   const struct dts_optimizer *optimizer,
                                   enum dts_precision precision, double batch)
{
    double bytes = (double)dts_precision_bytes(precision);
    double state_bytes = bytes > 4 ? bytes : 4, copy_bytes = bytes < 4 ? 4 : 0;
    struct dts_memory memory = {
        .weights = model->parameters * (bytes + copy_bytes),
        .gradients = model->parameters * bytes,
        .optimizer = model->parameters * optimizer->state_values * state_bytes,
        .activations = batch * ((model->saved_values + model->working_values) * bytes +
                                model->saved_bytes),
    };
    memory.total = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    return memory;
}

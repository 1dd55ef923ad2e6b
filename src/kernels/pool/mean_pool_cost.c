/* mean_pool_cost.c -- what means cost: of channels, over all of each or over a grid; of
 * features, over all positions. */
#include "kernels/op_cost.h"

/* Values that the windows of an axis read, those in two of them twice. */
static double values_read(size_t size, size_t windows)
{
    double sum = 0;
    for (size_t i = 0; i < windows; i++)
        sum += (double)(((i + 1) * size + windows - 1) / windows - i * size / windows);
    return sum;
}

struct dts_op_cost dts_means_cost(const struct dts_op_call *call, double flops)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = flops,
        .backward_flops = flops,
        .input_flops = flops,
        .forward_values = in + out,
        .backward_values = in + out,
        .input_values = in + out,
    };
}

struct dts_op_cost dts_mean_pool_cost(const struct dts_op_call *call)
{
    const struct dts_dims *input = &call->inputs[0], *output = &call->output;
    double flops = (double)input->size[0]; // additions, and one division for each mean
    for (int i = 1; i < input->count; i++)
        flops *= values_read(input->size[i], i < output->count ? output->size[i] : 1);
    return dts_means_cost(call, flops);
}

/* Additions, and one division for each mean. */
struct dts_op_cost dts_mean_cost(const struct dts_op_call *call)
{
    return dts_means_cost(call, (double)dts_dims_elements(&call->inputs[0]));
}

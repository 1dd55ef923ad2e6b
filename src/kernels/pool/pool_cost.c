/* pool_cost.c -- what the largest value or the mean of each window costs. */
#include "kernels/op_cost.h"

static double window_values(const struct dts_op_call *call)
{
    double values = 1;
    for (int i = 0; i < DTS_OP_AXES; i++)
        values *= call->window.kernel[i];
    return values;
}

struct dts_op_cost dts_max_pool_cost(const struct dts_op_call *call)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = out * (window_values(call) - 1), // comparisons
        .backward_flops = out,
        .input_flops = out,
        .forward_values = in + 2 * out,  // and the index of the largest
        .backward_values = 2 * out + in, // read dy and the index, write dx
        .input_values = 2 * out + in,
        .saved_bytes = 8 * out, // indices, int64
        .saves_input = true,
    };
}

struct dts_op_cost dts_avg_pool_cost(const struct dts_op_call *call)
{
    const double out = (double)dts_dims_elements(&call->output);
    return dts_means_cost(call, out * window_values(call)); // additions, and one division
}

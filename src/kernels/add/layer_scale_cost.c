/* layer_scale_cost.c -- what a learned factor for each channel or feature costs. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_layer_scale_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = n,
        .backward_flops = 3 * n, // 1 for dx, 2 for dw
        .input_flops = n,
        .forward_values = 2 * n,  // read x, write y
        .backward_values = 3 * n, // read x, dy, write dx
        .input_values = n,
        .weight_values = dts_op_call_weights(call),
        .saves_input = true,
    };
}

/* mean_squared_error_cost.c -- what the distance from a target costs. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_mean_squared_error_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->inputs[0]);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = 3 * n, // subtract, square, sum
        .backward_flops = 2 * n,
        .input_flops = 2 * n,
        .forward_values = 2 * n,  // read x and the target
        .backward_values = 3 * n, // and write dx
        .input_values = 3 * n,
        .saves_input = true,
    };
}

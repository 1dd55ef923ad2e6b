/* dropout_cost.c -- what dropout of values or of samples costs; at rate 0 nothing, as it does
 * nothing. The mask, a byte for each value, or the factor of the sample is kept for the
 * backward pass.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_dropout_cost(const struct dts_op_call *call)
{
    const double n = call->rate > 0 ? (double)dts_dims_elements(&call->output) : 0;
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = 2 * n, // compare, scale; drawing the random numbers is left out
        .backward_flops = n,
        .input_flops = n,
        .forward_values = 2 * n, // read x, write y; the mask is left out
        .backward_values = 2 * n,
        .input_values = 2 * n,
        .saved_bytes = n,
    };
}

struct dts_op_cost dts_stochastic_depth_cost(const struct dts_op_call *call)
{
    const double n = call->rate > 0 ? (double)dts_dims_elements(&call->output) : 0;
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = n, // times the sample's factor
        .backward_flops = n,
        .input_flops = n,
        .forward_values = 2 * n, // read x, write y
        .backward_values = 2 * n,
        .input_values = 2 * n,
        .saved_values = n > 0, // the factor
    };
}

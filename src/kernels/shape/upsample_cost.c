/* upsample_cost.c -- what interpolation costs. A value of the output is made of 2 values of the
 * input along each axis: 2, 4 or 8 products and their sum. Repeated, a value costs nothing, and
 * backward an addition.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_upsample_cost(const struct dts_op_call *call)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    const double corners = 1 << (call->output.count - 1);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = (2 * corners - 1) * out,
        .backward_flops = 2 * corners * out,
        .input_flops = 2 * corners * out,
        .forward_values = in + out,
        .backward_values = in + out,
        .input_values = in + out,
    };
}

struct dts_op_cost dts_upsample_nearest_cost(const struct dts_op_call *call)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .backward_flops = out,
        .input_flops = out,
        .forward_values = in + out,
        .backward_values = in + out,
        .input_values = in + out,
    };
}

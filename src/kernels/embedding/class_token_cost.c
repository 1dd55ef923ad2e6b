/* class_token_cost.c -- what learned rows in front of a sequence cost: a copy, and sums over
 * the batch of the rows' gradients. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_class_token_cost(const struct dts_op_call *call)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .backward_flops = out - in,
        .forward_values = in + out,
        .backward_values = in + out, // read dy, write dx
        .input_values = 2 * in,
        .weight_values = out - in,
    };
}

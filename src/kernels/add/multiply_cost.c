/* multiply_cost.c -- what a product of two tensors costs, the second perhaps one factor for
 * each channel.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_multiply_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->inputs[0]);
    const double m = (double)dts_dims_elements(&call->inputs[1]);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = n,
        .backward_flops = 3 * n - m, // da = dy b; db = dy a, summed over what a factor serves
        .input_flops = 3 * n - m,
        .forward_values = 2 * n + m,
        .backward_values = 3 * n + 2 * m, // read a, b, dy, write da, db
        .input_values = 3 * n + 2 * m,
        .saves_input = true,
    };
}

/* softmax_cross_entropy_cost.c -- what the logarithm of the right class's probability costs. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_softmax_cross_entropy_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->inputs[0]);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = 5 * n,  // max, subtract, exp, sum, subtract the sum's logarithm
        .backward_flops = 3 * n, // exp, subtract the target, scale
        .input_flops = 3 * n,
        .forward_values = 2 * n,  // read x, write log p
        .backward_values = 2 * n, // read log p, write dx
        .input_values = 2 * n,
        .saved_values = n, // log p
    };
}

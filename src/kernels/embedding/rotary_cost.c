/* rotary_cost.c -- what rotary positions cost: two products and a sum for each value, each way.
 * Cosines and sines are a table, as in the published code, and are not counted. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_rotary_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = 3 * n,
        .backward_flops = 3 * n,
        .input_flops = 3 * n,
        .forward_values = 2 * n,
        .backward_values = 2 * n,
        .input_values = 2 * n,
    };
}

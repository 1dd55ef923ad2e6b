/* shape_cost.c -- what it costs to put values elsewhere: they are read and written. */
#include "kernels/op_cost.h"

/* Backward what was not selected gets zeros. */
struct dts_op_cost dts_part_cost(const struct dts_op_call *call)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_values = 2 * out,
        .backward_values = in + out,
        .input_values = in + out,
    };
}

/* Backward cuts apart again. */
struct dts_op_cost dts_concat_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_values = 2 * n,
        .backward_values = 2 * n,
        .input_values = 2 * n,
    };
}

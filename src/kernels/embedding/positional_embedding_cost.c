/* positional_embedding_cost.c -- what adding a learned row for each position costs. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_positional_embedding_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = n,
        .backward_flops = n, // summed over the batch
        .forward_values = 2 * n,
        .backward_values = n, // dx is dy
        .weight_values = n,   // the rows in use
    };
}

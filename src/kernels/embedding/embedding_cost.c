/* embedding_cost.c -- what a row of a table for each token costs. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_embedding_cost(const struct dts_op_call *call)
{
    const double tokens = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .backward_flops = out,               // added to the rows' gradients
        .forward_values = tokens + 2 * out,  // read tokens and rows, write y
        .backward_values = tokens + 3 * out, // read tokens, dy and gradients, write gradients
        .weight_values = 0, // a call reads only the rows that it needs: in the values above
        .saves_input = true,
    };
}

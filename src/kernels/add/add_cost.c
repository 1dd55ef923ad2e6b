/* add_cost.c -- what a sum of tensors costs. Backward hands the gradient on as it is;
 * train/model/model_costs.c counts the sums where a tensor forks.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_add_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = n * (call->input_count - 1),
        .forward_values = n * (call->input_count + 1),
    };
}

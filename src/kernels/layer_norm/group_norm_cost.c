/* group_norm_cost.c -- what normalization over groups of channels costs: two passes, as a
 * group, whole planes of pixels, is more than what a core keeps beside it. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_group_norm_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    const bool affine = call->param_count > 0;
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = (affine ? 8 : 6) * n,   // 1 for the mean, 3 for the variance, 4 for y
        .backward_flops = (affine ? 11 : 9) * n, // 1 for db, 4 for dw, 6 for dx
        .input_flops = 6 * n,
        .forward_values = 3 * n,  // statistics: read x; then read x, write y
        .backward_values = 5 * n, // sums: read x, dy; then read x, dy, write dx
        .input_values = 3 * n,
        .weight_values = dts_op_call_weights(call),
        .saved_bytes = 8.0 * call->groups, // mean and root of each group, fp32
        .saves_input = true,
    };
}

/* batch_norm_cost.c -- what batch normalization costs: two passes, as a channel's mean over the
 * whole batch must be known before its first value can be normalized.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_batch_norm_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = 8 * n,   // 1 for the mean, 3 for the variance, 4 for y
        .backward_flops = 11 * n, // 1 for db, 4 for dw, 6 for dx
        .input_flops = 6 * n,
        .forward_values = 3 * n,  // statistics: read x; then read x, write y
        .backward_values = 5 * n, // sums: read x, dy; then read x, dy, write dx
        .input_values = 3 * n,
        .weight_values = dts_op_call_weights(call),
        .sums = 2 * call->output.size[0],
        .forward_sum_values = n,      // the statistics
        .backward_sum_values = 2 * n, // the sums
        .saves_input = true,
    };
}

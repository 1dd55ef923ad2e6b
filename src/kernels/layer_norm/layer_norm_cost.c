/* layer_norm_cost.c -- what normalizations of positions over their features cost. A row of
 * features fits into a cache, so that one pass over memory is enough.
 */
#include "kernels/op_cost.h"

/* Flops are for each value; statistics are fp32 numbers for each position. */
static struct dts_op_cost cost_of(const struct dts_op_call *call, double forward,
                                  double backward, double to_input, int statistics)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = forward * n,
        .backward_flops = backward * n,
        .input_flops = to_input * n,
        .forward_values = 2 * n,  // read x, write y
        .backward_values = 3 * n, // read x, dy, write dx
        .input_values = n,
        .weight_values = dts_op_call_weights(call),
        .saved_bytes = 4.0 * statistics * (double)dts_dims_positions(&call->output),
        .saves_input = true,
    };
}

/* Forward: 1 for the mean, 3 for the variance, 4 for y. Backward: 1 for db, 4 for dw, 6 for
 * dx. */
struct dts_op_cost dts_layer_norm_cost(const struct dts_op_call *call)
{
    return cost_of(call, 8, 11, 6, 2);
}

/* Forward: 2 for the mean square, 2 for y. Backward: 3 for dw, 5 for dx. */
struct dts_op_cost dts_rms_norm_cost(const struct dts_op_call *call)
{
    return cost_of(call, 4, 8, 5, 1);
}

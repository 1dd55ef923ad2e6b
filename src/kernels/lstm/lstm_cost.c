/* lstm_cost.c -- what a recurrent layer costs. The steps depend on one another, so the
 * recurrent weights are read again at each.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_lstm_cost(const struct dts_op_call *call)
{
    const double s = (double)call->inputs[0].size[0], f = (double)call->inputs[0].size[1];
    const double h = (double)call->output.size[1];
    const double by_input = 8 * s * h * f, by_state = 8 * s * h * h; // four gates
    const double in = s * f, out = s * h, gates = 4 * out;
    return (struct dts_op_cost){
        .class = DTS_WORK_MATMUL,
        .product_flops = by_input + by_state,

        /* 3 sigmoids at 4, 2 tanh at 1, biases 4, cell 3, output 1. */
        .forward_flops = by_input + by_state + 22 * out,

        .backward_flops = 2 * (by_input + by_state) + 28 * out, // 20 for the cell, 8 for biases
        .input_flops = by_input,
        .forward_values = in + 2 * gates + 4 * out, // gates out and in, c, h out and in
        .backward_values = 2 * in + 4 * gates + 6 * out,
        .input_values = in + gates,
        .saved_values = gates + out, // gates and cells; the states are the output
        .weight_values = 4 * h * f + s * 4 * h * h + 8 * h,
        .saves_input = true,
        .saves_output = true,
    };
}

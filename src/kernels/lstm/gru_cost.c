/* gru_cost.c -- what a gated recurrent unit costs, as lstm_cost.c counts: the recurrent weights
 * are read again at each step.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_gru_cost(const struct dts_op_call *call)
{
    const double s = (double)call->inputs[0].size[0], f = (double)call->inputs[0].size[1];
    const double h = (double)call->output.size[1];
    const double by_input = 6 * s * h * f, by_state = 6 * s * h * h; // three gates
    const double in = s * f, out = s * h, kept = 4 * out;            // r, z, n, q
    return (struct dts_op_cost){
        .class = DTS_WORK_MATMUL,
        .product_flops = by_input + by_state,

        /* 2 sigmoids at 4, tanh, biases 3, what is reset 2, output 4. */
        .forward_flops = by_input + by_state + 18 * out,

        .backward_flops = 2 * (by_input + by_state) + 23 * out, // 17 for the cell, 6 for biases
        .input_flops = by_input,
        .forward_values = in + 2 * kept + 2 * out, // gates out and in, h out and in
        .backward_values = 2 * in + 4 * kept + 4 * out,
        .input_values = in + 3 * out,
        .saved_values = kept,
        .weight_values = 3 * h * f + s * 3 * h * h + 6 * h,
        .saves_input = true,
        .saves_output = true,
    };
}

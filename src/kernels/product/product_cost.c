/* product_cost.c -- what a product with weights costs that multiplies each weight once at each
 * place of the output: linear layers and convolutions.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_product_cost(const struct dts_op_call *call, enum dts_work_class class,
                                    double places)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    const double out = (double)dts_dims_elements(&call->output);
    // Channels come first in images, last in sequences.
    const double in_columns =
        class == DTS_WORK_CONV ? (double)call->inputs[0].size[0] : in / places;
    const double flops = 2 * places * (double)call->params[0];
    return (struct dts_op_cost){
        .class = class,
        .forward_flops = flops,
        .product_flops = flops,
        .backward_flops = 2 * flops + (call->bias ? out : 0), // data, weights, bias
        .input_flops = flops,
        .forward_values = in + out,
        .backward_values = 2 * (in + out), // data: read dy, write dx; weights: read x, dy
        .input_values = in + out,
        .weight_values = dts_op_call_weights(call),
        .rows = places,
        .columns = out / places,
        .input_rows = in / in_columns,
        .input_columns = in_columns,
        .saves_input = true,
    };
}

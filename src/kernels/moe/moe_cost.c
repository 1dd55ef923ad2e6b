/* moe_cost.c -- what a mixture of experts costs where positions spread evenly: each expert has
 * as many, and no more than its capacity. Positions are gathered for their expert and added up
 * again behind it. Which expert is asked depends on the data: all weights are read. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_moe_cost(const struct dts_op_call *call)
{
    const double n = (double)dts_dims_features(&call->output);
    const double t = (double)dts_dims_positions(&call->output), e = call->experts;
    const bool gated = call->param_count > 3;
    const double f = (double)call->params[1] / e / n;
    const double room = e * (double)dts_op_capacity(call, dts_dims_positions(&call->output));
    const double sent = t * call->chosen < room ? t * call->chosen : room;
    const double router = 2 * t * n * e, experts = 2 * sent * n * f * (gated ? 3 : 2);
    const double products = router + experts;
    const double wide = f * (gated ? 3 : 2); // products of x, and what comes of them
    const double values = 2 * t * n + 2 * t * e + sent * (6 * n + 2 * wide);
    return (struct dts_op_cost){
        .class = DTS_WORK_MATMUL,
        .product_flops = products,

        /* Softmax 5; SiLU 5 and a product, or GELU 9; each share a product and a sum. */
        .forward_flops = products + 5 * t * e + sent * ((gated ? 6 : 9) * f + 2 * n),

        /* SiLU 8 and 3 products, or GELU 16; shares: 3 for each hidden value, 1 for each sum.
         */
        .backward_flops = 2 * products + 3 * t * e + sent * ((gated ? 14 : 19) * f + n),
        .input_flops = products,
        .forward_values = values,
        .backward_values = 2 * values,
        .input_values = values,
        .saved_values = t * e + sent * wide,
        .saved_bytes = 8 * t * call->chosen, // which experts
        .weight_values = dts_op_call_weights(call),
        .saves_input = true,
    };
}

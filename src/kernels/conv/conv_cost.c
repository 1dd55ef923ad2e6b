/* conv_cost.c -- what a convolution costs, whatever the way in which it is computed: each
 * weight is multiplied at each place of the output, those at the sides with zeros, too.
 */
#include "kernels/op_cost.h"

struct dts_op_cost dts_conv_cost(const struct dts_op_call *call)
{
    const double out = (double)dts_dims_elements(&call->output);
    return dts_product_cost(call, DTS_WORK_CONV, out / (double)call->output.size[0]);
}

/* The same products, one for each weight at each place of the input. */
struct dts_op_cost dts_conv_transpose_cost(const struct dts_op_call *call)
{
    const double in = (double)dts_dims_elements(&call->inputs[0]);
    return dts_product_cost(call, DTS_WORK_CONV, in / (double)call->inputs[0].size[0]);
}

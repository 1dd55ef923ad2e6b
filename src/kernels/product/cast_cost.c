/* cast_cost.c -- what products in 8 bits make of their factors: inputs before forward,
 * gradients of outputs before backward. Each is written twice, since both products of backward
 * read the other order (NVIDIA, Transformer Engine: cast and transpose).
 */
#include <string.h>

#include "kernels/op_cost.h"

/* Positions as often as an expert sees them. */
static double sent_by(const struct dts_op_call *call)
{
    const double all = (double)dts_dims_positions(&call->output) * call->chosen;
    const double room =
        call->experts * (double)dts_op_capacity(call, dts_dims_positions(&call->output));
    return all < room ? all : room;
}

double dts_op_cast_values(const struct dts_op_call *call, bool backward)
{
    const double out = (double)dts_dims_elements(&call->output);
    if (call->experts == 0)
        return backward ? out : (double)dts_dims_elements(&call->inputs[0]);
    const double n = (double)dts_dims_features(&call->output);
    const double hidden = (double)call->params[1] / call->experts / n;
    const bool gated = call->param_count > 3;
    return sent_by(call) * (n + (backward && gated ? 2 : 1) * hidden);
}

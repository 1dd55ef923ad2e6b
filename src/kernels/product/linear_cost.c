/* linear_cost.c -- what a product with weights costs: each is multiplied at each position. */
#include "kernels/op_cost.h"

struct dts_op_cost dts_linear_cost(const struct dts_op_call *call)
{
    return dts_product_cost(call, DTS_WORK_MATMUL, (double)dts_dims_positions(&call->output));
}

/* linear.h -- what the files of the linear layer tell one another. */
#ifndef DTS_KERNELS_PRODUCT_LINEAR_H
#define DTS_KERNELS_PRODUCT_LINEAR_H

#include "kernels/op.h"

/* Every position of every sample is a row. */
struct dts_linear_sizes {
    size_t rows, features, outputs;
};

static inline struct dts_linear_sizes dts_linear_sizes(const struct dts_op_call *call,
                                                       int batch)
{
    return (struct dts_linear_sizes){
        .rows = (size_t)batch * dts_dims_positions(&call->inputs[0]),
        .features = dts_dims_features(&call->inputs[0]),
        .outputs = dts_dims_features(&call->output),
    };
}

dts_op_fn dts_linear_forward_host, dts_linear_backward_host;
dts_op_fn dts_linear_forward_cuda, dts_linear_backward_cuda;

#endif

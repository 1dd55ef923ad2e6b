/* layer_scale.h -- what the files of learned factors tell one another. */
#ifndef DTS_KERNELS_ADD_LAYER_SCALE_H
#define DTS_KERNELS_ADD_LAYER_SCALE_H

#include "kernels/op.h"

/* Factors; neighbours in memory that share one; rows of both, of all samples. */
struct dts_layer_scale {
    size_t factors, alike, rows;
};

static inline struct dts_layer_scale dts_layer_scale_of(const struct dts_op_call *call,
                                                        int batch)
{
    const size_t n = dts_dims_elements(&call->output), factors = call->params[0];
    const size_t alike = call->last ? 1 : n / factors;
    return (struct dts_layer_scale){factors, alike, (size_t)batch * n / factors / alike};
}

dts_op_fn dts_layer_scale_forward_cuda, dts_layer_scale_backward_cuda;

#endif

/* rotary.h -- what the files of rotary positions tell one another. */
#ifndef DTS_KERNELS_EMBEDDING_ROTARY_H
#define DTS_KERNELS_EMBEDDING_ROTARY_H

#include "kernels/op.h"

/* Positions of a sample, heads, and pairs of values of a head. */
struct dts_rotary {
    size_t positions, heads, pairs;
};

static inline struct dts_rotary dts_rotary_of(const struct dts_op_call *call)
{
    const size_t features = dts_dims_features(&call->output), heads = (size_t)call->heads;
    return (struct dts_rotary){dts_dims_positions(&call->output), heads, features / heads / 2};
}

size_t dts_rotary_scratch_host(const struct dts_op_call *call, int batch, int workers);
dts_op_fn dts_rotary_forward_host, dts_rotary_backward_host; // rotary_host.c
dts_op_fn dts_rotary_forward_cuda, dts_rotary_backward_cuda; // rotary.cu

#endif

/* batch_norm.h -- what the files of batch normalization tell one another. */
#ifndef DTS_KERNELS_BATCH_NORM_BATCH_NORM_H
#define DTS_KERNELS_BATCH_NORM_BATCH_NORM_H

#include "kernels/op.h"

/* Weight of the newest batch in the running statistics, as PyTorch's BatchNorm by default. */
#define DTS_BATCH_NORM_MOMENTUM 0.1

dts_op_fn dts_batch_norm_forward_host, dts_batch_norm_backward_host;
dts_op_fn dts_batch_norm_forward_cuda, dts_batch_norm_backward_cuda;
size_t dts_batch_norm_scratch_cuda(const struct dts_op_call *call, int batch, int workers);

#endif

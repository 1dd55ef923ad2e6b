/* layer_norm.h -- what the files of normalization over features tell one another. */
#ifndef DTS_KERNELS_LAYER_NORM_LAYER_NORM_H
#define DTS_KERNELS_LAYER_NORM_LAYER_NORM_H

#include "kernels/op.h"

dts_op_fn dts_layer_norm_forward_host, dts_layer_norm_backward_host;
dts_op_fn dts_rms_norm_forward_host, dts_rms_norm_backward_host;
dts_op_fn dts_layer_norm_forward_cuda, dts_layer_norm_backward_cuda;
dts_op_fn dts_rms_norm_forward_cuda, dts_rms_norm_backward_cuda;
size_t dts_layer_norm_scratch_cuda(const struct dts_op_call *call, int batch, int workers);
size_t dts_layer_norm_scratch(const struct dts_op_call *call, int batch, int workers);

#endif

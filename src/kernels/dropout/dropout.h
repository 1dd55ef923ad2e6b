/* dropout.h -- what the files of dropout tell one another. */
#ifndef DTS_KERNELS_DROPOUT_DROPOUT_H
#define DTS_KERNELS_DROPOUT_DROPOUT_H

#include "kernels/op.h"

/* A piece of a sample is drawn from this many blocks of Philox, 8 values each: value p is part
 * p % DTS_DROPOUT_PIECE / DTS_DROPOUT_BLOCKS (16 bits, the lowest first) of block
 * p / DTS_DROPOUT_PIECE * DTS_DROPOUT_BLOCKS + p % DTS_DROPOUT_BLOCKS. Neighbours in memory so
 * come from neighbouring blocks, which vectorizes. */
enum { DTS_DROPOUT_BLOCKS = 64, DTS_DROPOUT_PIECE = 8 * DTS_DROPOUT_BLOCKS };

/* A value is kept if its 16 bits are at least this. */
uint32_t dts_dropout_threshold(const struct dts_op_call *call);
/* What a kept value is multiplied by: 1 / the share that is kept, by the threshold. */
double dts_dropout_scale(const struct dts_op_call *call);

dts_op_fn dts_dropout_forward_host, dts_dropout_backward_host;
dts_op_fn dts_dropout_forward_cuda, dts_dropout_backward_cuda;
dts_op_fn dts_stochastic_depth_forward_cuda, dts_stochastic_depth_backward_cuda;

#endif

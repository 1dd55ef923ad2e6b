/* conv_tiles.h -- convolution by tiles of products, whose columns are packed from the tensors
 * themselves. Any shape; the bias's gradient is the caller's. */
#ifndef DTS_KERNELS_CONV_CONV_TILES_H
#define DTS_KERNELS_CONV_CONV_TILES_H

#include "kernels/conv/conv.h"

dts_op_fn dts_conv_tiles_forward;
dts_op_fn dts_conv_tiles_gradient; // of x
dts_op_fn dts_conv_tiles_weights;  // adds to the gradient of the weights

size_t dts_conv_tiles_forward_scratch(const struct dts_op_call *call, int batch, int workers);
size_t dts_conv_tiles_gradient_scratch(const struct dts_op_call *call, int batch, int workers);
size_t dts_conv_tiles_weights_scratch(const struct dts_op_call *call, int batch, int workers);

#endif

/* conv.h -- what the files of the convolution tell one another. */
#ifndef DTS_KERNELS_CONV_CONV_H
#define DTS_KERNELS_CONV_CONV_H

#include <stdint.h>

#include "kernels/op.h"

/* Sizes of one group; all groups are alike. */
struct dts_conv_sizes {
    size_t groups, in_channels, out_channels; // channels of one group
    size_t window, in_pixels, out_pixels;     // values of a window, pixels of a channel
    int axes;
};
struct dts_conv_sizes dts_conv_sizes(const struct dts_op_call *call);

/* The pixel of the input that tap `tap` of the window sees at output pixel `pixel`. */
#define DTS_CONV_OUTSIDE SIZE_MAX
size_t dts_conv_pixel(const struct dts_op_call *call, size_t pixel, size_t tap);

dts_op_fn dts_conv_forward_host, dts_conv_backward_host;

/* The gradient of the bias, where there is one and it is wanted, of any convolution. */
dts_op_fn dts_conv_bias_backward_host, dts_conv_bias_backward_cuda;

size_t dts_conv_forward_scratch(const struct dts_op_call *call, int batch, int workers);
size_t dts_conv_backward_scratch(const struct dts_op_call *call, int batch, int workers);

#endif

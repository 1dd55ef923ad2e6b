/* window.h -- a window that slides over an image: what convolutions and pools share.
 *
 * Each of kernel, stride, padding and dilation is one number for all axes, or a list with one
 * for each: "kernel": [1, 7]. Padding may be [before, behind] for each axis, or "same":
 * as much as makes the output ceil(input / stride), shared before and after.
 */
#ifndef DTS_TRAIN_MODEL_LAYER_WINDOW_H
#define DTS_TRAIN_MODEL_LAYER_WINDOW_H

#include "train/model/layer/layer.h"

enum { DTS_WINDOW_AXES = DTS_DIMS - 1 };

struct dts_window {
    struct dts_cfg kernel_cfg, stride_cfg, padding_cfg, dilation_cfg; // valid while read
    bool ceil; // the last window may begin inside and end outside

    int axes;
    int kernel[DTS_WINDOW_AXES], stride[DTS_WINDOW_AXES], padding[DTS_WINDOW_AXES],
        behind[DTS_WINDOW_AXES], dilation[DTS_WINDOW_AXES]; // padding: before the first value
};

/* Resolve the keys for an input of [channels, ...axes] and find the output's sizes, channels
 * as in the input. axes: how many the kind needs, 0: as many as the input has. */
bool dts_window_infer(struct dts_window *window, int axes, const struct dts_dims *input,
                      struct dts_dims *output, const struct dts_cfg *at, struct dts_error *err);

/* The same of a transposed convolution, whose windows slide over the output. `extra`: what the
 * output has more behind, below the stride. */
bool dts_window_infer_transposed(struct dts_window *window, const struct dts_cfg *extra,
                                 int axes, const struct dts_dims *input,
                                 struct dts_dims *output, const struct dts_cfg *at,
                                 struct dts_error *err);

/* The window as a call has it. */
void dts_window_describe(const struct dts_window *window, struct dts_op_call *call);

/* Values in a window. */
double dts_window_values(const struct dts_window *window);

#endif

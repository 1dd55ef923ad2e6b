/* conv_winograd_weights.h -- the gradient of the weights of 3x3 windows with stride 1 by fewer
 * products. */
#ifndef DTS_KERNELS_CONV_CONV_WINOGRAD_WEIGHTS_H
#define DTS_KERNELS_CONV_CONV_WINOGRAD_WEIGHTS_H

#include "kernels/conv/conv_view.h"

/* Whether this is a forward view that can go this way, and enough of it that it pays; the same
 * for any number of workers. */
bool dts_winograd_weights_pay(const struct dts_conv_view *view, int batch);

size_t dts_winograd_weights_scratch(const struct dts_conv_view *view, int batch, int workers);

/* Adds to dw[outputs, channels, 3, 3]. */
struct dts_winograd_weights {
    struct dts_conv_view view;
    int batch;
    const float *x, *dy;
    float *dw, *scratch;
};
void dts_winograd_weights_run(const struct dts_winograd_weights *call,
                              struct dts_workers *workers);

#endif

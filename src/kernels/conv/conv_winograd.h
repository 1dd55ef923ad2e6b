/* conv_winograd.h -- windows of 3x3 with stride 1 by fewer products. */
#ifndef DTS_KERNELS_CONV_CONV_WINOGRAD_H
#define DTS_KERNELS_CONV_CONV_WINOGRAD_H

#include "kernels/conv/conv_view.h"

/* 3x3, stride 1, of one group, and channels enough for a vector. */
bool dts_winograd_fits(const struct dts_conv_view *view);

/* Views of the patches of 6x6 pixels that it reads, and of 4x4 that it writes; the grid of both
 * is that of the tiles. */
struct dts_conv_view dts_winograd_patches_in(const struct dts_conv_view *view);
struct dts_conv_view dts_winograd_patches_out(const struct dts_conv_view *view);

/* Asks for what the panel behind these lanes, of all `tiles`, sees of so many channels of x
 * from channel c on: its rows lie far apart in memory, where no processor looks ahead by
 * itself. */
void dts_winograd_fetch_next(const struct dts_conv_view *patches,
                             const struct dts_view_lanes *lanes, size_t tiles, const float *x,
                             size_t c, size_t channels);

/* Panels of tiles that a block has, of `panel` floats each: so many as stay near with the
 * floats that are used beside; `most`, where not even one does. */
size_t dts_winograd_panels(size_t panel, size_t beside, size_t most);

/* Whether this is a view that can go this way, and enough of it that it pays. */
bool dts_winograd_pays(const struct dts_conv_view *view, int batch, int workers);

size_t dts_winograd_scratch(const struct dts_conv_view *view, int batch, int workers);

/* A view of x, with weights w[.., output_step, .., channel_step, .., 3x3] and maybe a bias. */
struct dts_winograd {
    struct dts_conv_view view;
    int batch;
    const float *x, *w, *bias;
    float *y, *scratch;
    size_t output_step, channel_step;
};
void dts_winograd_run(const struct dts_winograd *call, struct dts_workers *workers);

#endif

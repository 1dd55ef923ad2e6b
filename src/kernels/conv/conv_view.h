/* conv_view.h -- a convolution, or a part of its gradient, as sums over the taps of a window.
 *
 *     to[b, m, p out_step + out_first] = sum over c, t of a[m, c, t] from[b, c, p in_step +
 * at(t)]
 *
 * for the pixels p of a grid. Forward is one view. The gradient of x is one view for each
 * remainder of its pixels by the stride: the pixels of one remainder see the same taps, in a
 * grid that is dense in dy.
 */
#ifndef DTS_KERNELS_CONV_CONV_VIEW_H
#define DTS_KERNELS_CONV_CONV_VIEW_H

#include "kernels/conv/conv.h"
#include "kernels/product/tile.h"

enum { DTS_VIEW_AXES = 3 }; // unused ones, in front, have size 1

struct dts_conv_view {
    size_t groups, channels, outputs; // c and m of one group
    size_t in[DTS_VIEW_AXES], grid[DTS_VIEW_AXES], out[DTS_VIEW_AXES];
    size_t in_pixels, grid_pixels, out_pixels;
    long in_step[DTS_VIEW_AXES], out_step[DTS_VIEW_AXES], out_first[DTS_VIEW_AXES];
    /* Along an axis, tap t is value first + t step of the kernel, and lies at + t slope. */
    struct dts_view_taps {
        size_t count, first, step, kernel;
        long at, slope;
    } taps[DTS_VIEW_AXES];
    size_t tap_count; // 0: all sums are 0
    bool dense;       // grid and output are the same
};

struct dts_conv_view dts_view_forward(const struct dts_op_call *call);

/* The gradient of x has this many views, numbered from 0. */
size_t dts_view_gradients(const struct dts_op_call *call);
struct dts_conv_view dts_view_gradient(const struct dts_op_call *call, size_t number);

/* Where tap t lies, and which value of the kernel it is. */
void dts_view_tap(const struct dts_conv_view *view, size_t t, long at[DTS_VIEW_AXES],
                  size_t *weight);

/* A tile's columns of pixels, counted through all samples. Neighbours in memory are runs:
 * run r of vector v holds the lanes of `mask`, lane i at base + i. */
struct dts_view_runs {
    int end[2]; // runs of the first vector, of both
    uint32_t mask[DTS_TILE_COLUMNS];
    long base[DTS_TILE_COLUMNS];
    bool scattered[2]; // more runs in the vector than MOST_RUNS
    long origin;       // lane i of both is at origin + offset[i]
    int offset[DTS_TILE_COLUMNS];
};
struct dts_view_lanes {
    size_t first, count;
    int at[DTS_VIEW_AXES][DTS_TILE_COLUMNS]; // coordinates in the input, without a tap's
    struct dts_view_runs in, out;
    bool straight; // all columns, in order, of one sample of the output
};
struct dts_view_lanes dts_view_lanes(const struct dts_conv_view *view, size_t first,
                                     size_t count);

/* The lanes whose pixel under a tap is inside, and how much further it lies in memory. */
struct dts_view_seen {
    uint32_t inside;
    long further;
};
struct dts_view_seen dts_view_seen(const struct dts_conv_view *view,
                                   const struct dts_view_lanes *lanes, size_t t);

/* to[i, COLUMNS], i < count, `step` apart: what the lanes see in channel i of x, 0 outside. */
void dts_view_load(const struct dts_view_lanes *lanes, const struct dts_view_seen *seen,
                   const float *x, size_t in_pixels, size_t count, float *to, size_t step);

/* y at the lanes' pixels = from[COLUMNS] + more */
void dts_view_store(const struct dts_view_lanes *lanes, const float *from, float more,
                    float *y);

/* Of one vector of the lanes of a view's input: channel x under tap t = from[t, LANES], where
 * it is inside. */
void dts_view_put(const struct dts_view_lanes *lanes, const struct dts_view_seen *seen,
                  size_t taps, int vector, const float *from, float *x);

#endif

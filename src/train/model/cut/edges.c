/* edges.c -- rows that a window needs beyond the strip of its rank.
 *
 * Of an axis of n values in p strips, with a window of reach r = dilation (kernel - 1) + 1, a
 * stride s and b values of padding before, output o reads inputs o s - b .. o s - b + r - 1.
 * Where the output has n/s values the strip's outputs read
 *
 *     above   b             rows of the strip before
 *     below   r - s - b     rows of the strip behind
 *
 * and its inputs are read by outputs of which
 *
 *     above   floor((r - 1 - b)/s)
 *     below   ceil(b/s)
 *
 * are on other strips; nothing where that is below 0. A transposed convolution is the same with
 * input and output exchanged.
 */
#include <string.h>

#include "train/model/cut/cut_private.h"

static size_t at_least_0(long rows)
{
    return rows > 0 ? (size_t)rows : 0;
}

/* Of an axis whose longer side is `fine`, s times the other. */
static void find(const struct dts_op_call_window *w, int axis, struct dts_cut_edges *fine,
                 struct dts_cut_edges *coarse)
{
    const long stride = w->stride[axis], before = w->before[axis];
    const long reach = (long)w->dilation[axis] * (w->kernel[axis] - 1) + 1;
    *fine = (struct dts_cut_edges){at_least_0(before), at_least_0(reach - stride - before)};
    const long above = reach - 1 - before;
    *coarse = (struct dts_cut_edges){above > 0 ? (size_t)(above / stride) : 0,
                                     (size_t)((before + stride - 1) / stride)};
}

/* Strips have all of their rows, and neighbours no need of more than these. */
static bool suits(size_t rows, size_t strips, const struct dts_cut_edges *edges)
{
    return rows % strips == 0 && edges->above <= rows / strips && edges->below <= rows / strips;
}

bool dts_cut_windows_find(const struct dts_op_call *call, int axis, int strips,
                          struct dts_cut_windows *windows)
{
    const size_t in = call->inputs[0].size[axis + 1], out = call->output.size[axis + 1];
    const size_t p = (size_t)strips;
    *windows = (struct dts_cut_windows){{0, 0}, {0, 0}};
    if (strcmp(call->op, "adaptive_pool") == 0 || strcmp(call->op, "upsample_nearest") == 0)
        return in % p == 0 && out % p == 0 && (in % out == 0 || out % in == 0);
    const size_t stride = (size_t)call->window.stride[axis];
    const bool transposed = strcmp(call->op, "conv_transpose") == 0;
    if (transposed)
        find(&call->window, axis, &windows->out, &windows->in);
    else
        find(&call->window, axis, &windows->in, &windows->out);
    return (transposed ? in * stride == out : out * stride == in) &&
           suits(in, p, &windows->in) && suits(out, p, &windows->out);
}

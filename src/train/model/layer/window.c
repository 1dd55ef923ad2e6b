/* window.c -- a window that slides over an image (Dumoulin and Visin 2016,
 * arXiv:1603.07285, relationship 15):
 *
 *     output = floor((input + before + behind - dilation (kernel - 1) - 1) / stride) + 1
 *
 * where padding before and behind are mostly the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "train/model/layer/window.h"

enum {
    MOST = 1 << 20,         // of a kernel, stride, padding or dilation
    MOST_CHANNEL = 1 << 30, // values of a channel
};

/* A number for all axes, or a list with one for each. */
static bool read_sizes(const struct dts_cfg *at, int axes, int min, int *sizes,
                       struct dts_error *err)
{
    if (!dts_cfg_is_list(at)) {
        if (!dts_cfg_int(at, min, MOST, &sizes[0], err))
            return false;
        for (int i = 1; i < axes; i++)
            sizes[i] = sizes[0];
        return true;
    }
    if (dts_cfg_length(at) != (size_t)axes)
        return dts_cfg_fail(at, NULL, err,
                            "must be one number or a list of %d, got a list of %zu", axes,
                            dts_cfg_length(at));
    for (int i = 0; i < axes; i++) {
        struct dts_cfg item = dts_cfg_item(at, (size_t)i);
        if (!dts_cfg_int(&item, min, MOST, &sizes[i], err))
            return false;
    }
    return true;
}

/* Of one axis: a number, or [before, behind]. */
static bool read_sides(const struct dts_cfg *at, int *before, int *behind,
                       struct dts_error *err)
{
    if (!dts_cfg_is_list(at)) {
        const bool read = dts_cfg_int(at, 0, MOST, before, err);
        *behind = *before;
        return read;
    }
    if (dts_cfg_length(at) != 2)
        return dts_cfg_fail(at, NULL, err,
                            "must be a number or [before, behind], got a list of %zu",
                            dts_cfg_length(at));
    const struct dts_cfg first = dts_cfg_item(at, 0), second = dts_cfg_item(at, 1);
    return dts_cfg_int(&first, 0, MOST, before, err) &&
           dts_cfg_int(&second, 0, MOST, behind, err);
}

static bool read_padding(const struct dts_cfg *at, int axes, struct dts_window *w, bool *same,
                         struct dts_error *err)
{
    const char *word;
    *same = dts_cfg_is_string(at);
    if (dts_cfg_is_list(at) && dts_cfg_length(at) == (size_t)axes) {
        for (int i = 0; i < axes; i++) {
            const struct dts_cfg item = dts_cfg_item(at, (size_t)i);
            if (!read_sides(&item, &w->padding[i], &w->behind[i], err))
                return false;
        }
        return true;
    }
    if (!*same && !read_sizes(at, axes, 0, w->padding, err))
        return false;
    for (int i = 0; i < axes; i++)
        w->behind[i] = w->padding[i];
    if (!*same)
        return true;
    if (!dts_cfg_string(at, &word, err))
        return false;
    if (strcmp(word, "same") != 0)
        return dts_cfg_fail(at, NULL, err, "must be numbers or \"same\", got \"%s\"", word);
    return true;
}

/* The windows along one axis; 0: the window is larger than the padded input. */
static size_t windows(const struct dts_window *w, int axis, size_t input)
{
    size_t stride = (size_t)w->stride[axis], padding = (size_t)w->padding[axis];
    size_t reach = (size_t)w->dilation[axis] * ((size_t)w->kernel[axis] - 1) + 1;
    size_t padded = input + padding + (size_t)w->behind[axis];
    if (reach > padded)
        return 0;
    if (!w->ceil)
        return (padded - reach) / stride + 1;
    size_t count = dts_ceil_div(padded - reach, stride) + 1;
    bool beyond = (count - 1) * stride >= input + padding; // would begin in the padding
    return beyond ? count - 1 : count;
}

/* What the windows reach beyond the input. */
static size_t outside_of(const struct dts_window *w, int axis, size_t in, size_t out)
{
    const size_t reach = (size_t)w->dilation[axis] * ((size_t)w->kernel[axis] - 1) + 1;
    const size_t covered = (out - 1) * (size_t)w->stride[axis] + reach;
    return covered > in ? covered - in : 0;
}

/* Half of that, the odd value behind. Operations count padding, and how far a window reaches,
 * in int: it is held to what a file may say by a number. */
static bool same_padding(struct dts_window *w, int axis, size_t in, size_t out,
                         struct dts_error *err)
{
    const size_t outside = outside_of(w, axis, in, out), most = 2 * MOST + 1;
    if (outside > most) {
        const size_t dilation = (size_t)w->dilation[axis];
        const size_t less = dts_ceil_div(outside - most, dilation);
        return dts_cfg_fail(&w->kernel_cfg, NULL, err,
                            "must be <= %zu, as padding must be <= %d, got %d%s",
                            (size_t)w->kernel[axis] - less, MOST, w->kernel[axis],
                            dilation > 1 ? " (dilated)" : "");
    }
    w->padding[axis] = w->behind[axis] =
        (int)(outside / 2); // the odd one follows from the output
    return true;
}

/* Operations count places of a channel, and how far windows reach beyond it, in int; max_pool
 * keeps places so. */
static bool check_channel(const struct dts_dims *dims, const char *key, const char *whose,
                          const struct dts_cfg *at, struct dts_error *err)
{
    double values = 1; // of the output they may be more than a size_t holds
    for (int i = 1; i < dims->count; i++)
        values *= (double)dims->size[i];
    return values <= MOST_CHANNEL ||
           dts_cfg_fail(at, key, err, "%smust have <= %d values in a channel, got %s", whose,
                        MOST_CHANNEL, dts_dims_text(dims).chars);
}

bool dts_window_infer(struct dts_window *w, int axes, const struct dts_dims *input,
                      struct dts_dims *output, const struct dts_cfg *at, struct dts_error *err)
{
    w->axes = input->count - 1;
    if (w->axes < 1 || (axes > 0 && w->axes != axes))
        return dts_cfg_fail(at, "input", err, "must be channels and %d sizes, got %s",
                            axes > 0 ? axes : 1, dts_dims_text(input).chars);
    if (!check_channel(input, "input", "", at, err))
        return false;
    for (int i = 0; i < w->axes; i++)
        w->dilation[i] = 1;

    bool same;
    const struct dts_cfg *strides =
        dts_cfg_exists(&w->stride_cfg) ? &w->stride_cfg : &w->kernel_cfg;
    if (!read_sizes(&w->kernel_cfg, w->axes, 1, w->kernel, err) ||
        !read_sizes(strides, w->axes, 1, w->stride, err) ||
        !read_padding(&w->padding_cfg, w->axes, w, &same, err))
        return false;
    if (dts_cfg_exists(&w->dilation_cfg) &&
        !read_sizes(&w->dilation_cfg, w->axes, 1, w->dilation, err))
        return false;

    *output = *input;
    for (int i = 0; i < w->axes; i++) {
        size_t size = input->size[i + 1];
        output->size[i + 1] =
            same ? dts_ceil_div(size, (size_t)w->stride[i]) : windows(w, i, size);
        if (output->size[i + 1] == 0)
            return dts_cfg_fail(&w->kernel_cfg, NULL, err, "must be <= %zu, got %d%s",
                                (size + (size_t)w->padding[i] + (size_t)w->behind[i] - 1) /
                                        (size_t)w->dilation[i] +
                                    1,
                                w->kernel[i], w->dilation[i] > 1 ? " (dilated)" : "");
        if (same && !same_padding(w, i, size, output->size[i + 1], err))
            return false;
    }
    return check_channel(output, NULL, "the output ", at, err);
}

bool dts_window_infer_transposed(struct dts_window *w, const struct dts_cfg *extra, int axes,
                                 const struct dts_dims *input, struct dts_dims *output,
                                 const struct dts_cfg *at, struct dts_error *err)
{
    int more[DTS_WINDOW_AXES];
    w->axes = input->count - 1;
    if (w->axes != axes)
        return dts_cfg_fail(at, "input", err, "must be channels and %d sizes, got %s", axes,
                            dts_dims_text(input).chars);
    if (!check_channel(input, "input", "", at, err) ||
        !read_sizes(&w->kernel_cfg, axes, 1, w->kernel, err) ||
        !read_sizes(&w->stride_cfg, axes, 1, w->stride, err) ||
        !read_sizes(&w->padding_cfg, axes, 0, w->padding, err) ||
        !read_sizes(&w->dilation_cfg, axes, 1, w->dilation, err) ||
        !read_sizes(extra, axes, 0, more, err))
        return false;
    *output = *input;
    for (int i = 0; i < axes; i++) {
        const long long whole = ((long long)input->size[i + 1] - 1) * w->stride[i] +
                                (long long)w->dilation[i] * (w->kernel[i] - 1) + 1 + more[i];
        if (more[i] >= w->stride[i])
            return dts_cfg_fail(extra, NULL, err, "must be < the stride, %d, got %d",
                                w->stride[i], more[i]);
        if (whole <= 2LL * w->padding[i])
            return dts_cfg_fail(&w->padding_cfg, NULL, err, "must be <= %lld, got %d",
                                (whole - 1) / 2, w->padding[i]);
        output->size[i + 1] = (size_t)(whole - 2LL * w->padding[i]);
    }
    return check_channel(output, NULL, "the output ", at, err);
}

double dts_window_values(const struct dts_window *w)
{
    double values = 1;
    for (int i = 0; i < w->axes; i++)
        values *= w->kernel[i];
    return values;
}

void dts_window_describe(const struct dts_window *w, struct dts_op_call *call)
{
    for (int i = 0; i < DTS_OP_AXES; i++) {
        const bool used = i < w->axes;
        call->window.kernel[i] = used ? w->kernel[i] : 1;
        call->window.stride[i] = used ? w->stride[i] : 1;
        call->window.dilation[i] = used ? w->dilation[i] : 1;
        call->window.before[i] = used ? w->padding[i] : 0;
    }
}

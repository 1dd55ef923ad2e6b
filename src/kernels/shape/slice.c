/* slice.c -- part of an axis: y[i, j, k] = x[i, offset + j, k] for j below the output's size;
 * dx of what is left out is 0. Copies are the same for the reference and on the host, but for
 * the size of a value.
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/shape/slice.h"

struct dts_slice dts_slice_of(const struct dts_op_call *call, int batch)
{
    const struct dts_dims *in = &call->inputs[0], *out = &call->output;
    struct dts_slice s = {.rows = (size_t)batch, .in = 1, .out = 1};
    int axis = 0;
    while (axis + 1 < in->count && in->size[axis] == out->size[axis])
        s.rows *= in->size[axis++];
    for (int i = axis; i < in->count; i++) {
        s.in *= in->size[i];
        s.out *= out->size[i];
    }
    s.before = call->offset * (s.in / in->size[axis]);
    return s;
}

static void copy_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                      struct dts_range range, bool back, size_t real)
{
    const struct dts_slice s = dts_slice_of(call, a->batch);
    const size_t out = s.out * real, before = s.before * real, in = s.in * real;
    for (size_t row = range.first; row < range.first + range.count; row++) {
        if (!back) {
            memcpy((char *)a->y + row * out, (const char *)a->x[0] + row * in + before, out);
            continue;
        }
        char *dx = (char *)a->dx[0] + row * in;
        memset(dx, 0, before);
        memcpy(dx + before, (const char *)a->dy + row * out, out);
        memset(dx + before + out, 0, in - before - out);
    }
}

static void forward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    copy_rows(call, a, range, false, sizeof(float));
}

static void backward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    copy_rows(call, a, range, true, sizeof(float));
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_range all = {.count = dts_slice_of(call, a->batch).rows};
    copy_rows(call, a, all, false, sizeof(double));
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_range all = {.count = dts_slice_of(call, a->batch).rows};
    if (a->dx[0] != NULL)
        copy_rows(call, a, all, true, sizeof(double));
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_rows, dts_slice_of(call, a->batch).rows, call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_rows, dts_slice_of(call, a->batch).rows, call, a, place);
}

const struct dts_operation dts_op_slice = {
    .name = "slice",
    .summary = "part of an axis",
    .cost = dts_part_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_slice_forward_cuda, dts_slice_backward_cuda}),
};

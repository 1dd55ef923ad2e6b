/* permute.c -- axes in another order: y[i, j, ...] = x[...], where axis k of y is axis axes[k]
 * of x; dx is dy in the opposite order. Values move, none changes.
 *
 * Channels first into channels last and back are matrices transposed, and go by their tiles;
 * other orders go by lines of the output, which workers share.
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/shape/permute.h"
#include "kernels/vector/transpose.h"

static int source_of(const struct dts_op_call *call, int axis, bool back)
{
    int from = 0;
    if (!back)
        return call->axes[axis];
    while (call->axes[from] != axis)
        from++;
    return from;
}

struct dts_permutation dts_permutation_of(const struct dts_op_call *call, bool back)
{
    const struct dts_dims *from = back ? &call->output : &call->inputs[0];
    size_t stride[DTS_DIMS], all = 1;
    struct dts_permutation p = {.values = dts_dims_elements(from)};
    for (int i = from->count - 1; i >= 0; i--) {
        stride[i] = all;
        all *= from->size[i];
    }
    for (int i = 0, before = -2; i < from->count; i++) {
        const int axis = source_of(call, i, back);
        if (axis != before + 1)
            p.size[p.count++] = 1;
        p.size[p.count - 1] *= from->size[axis];
        p.stride[p.count - 1] = stride[axis];
        before = axis;
    }
    return p;
}

bool dts_permutation_transposes(const struct dts_permutation *p, size_t *rows, size_t *columns,
                                size_t *count)
{
    const int first = p->count - 2; // axes before it stay where they are
    if (p->count < 2 || p->count > 3 || p->stride[first] != 1 ||
        (first == 1 && p->stride[0] != p->size[1] * p->size[2]))
        return false;
    *count = first == 1 ? p->size[0] : 1;
    *rows = p->size[first + 1];
    *columns = p->size[first];
    return true;
}

static void move(const struct dts_op_call *call, const struct dts_arrays *a, bool back)
{
    const struct dts_permutation p = dts_permutation_of(call, back);
    const double *from = back ? a->dy : a->x[0];
    double *to = back ? a->dx[0] : a->y;
    for (size_t i = 0; i < (size_t)a->batch * p.values; i++) {
        size_t left = i % p.values, at = i / p.values * p.values;
        for (int k = p.count - 1; k >= 0; k--) {
            at += left % p.size[k] * p.stride[k];
            left /= p.size[k];
        }
        to[i] = from[at];
    }
}

static void copy_line(const float *from, size_t stride, float *to, size_t count)
{
    if (stride == 1) {
        memcpy(to, from, count * sizeof(*to));
        return;
    }
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] = from[i * stride];
}

/* Lines of the output: its last axis. */
static void move_lines(const struct dts_op_call *call, const struct dts_arrays *a,
                       struct dts_range range, bool back)
{
    const struct dts_permutation p = dts_permutation_of(call, back);
    const int last = p.count - 1;
    const size_t lines = p.values / p.size[last];
    const float *from = back ? a->dy : a->x[0];
    float *to = back ? a->dx[0] : a->y;
    for (size_t line = range.first; line < range.first + range.count; line++) {
        size_t left = line % lines, at = line / lines * p.values;
        for (int k = last - 1; k >= 0; k--) {
            at += left % p.size[k] * p.stride[k];
            left /= p.size[k];
        }
        copy_line(from + at, p.stride[last], to + line * p.size[last], p.size[last]);
    }
}

static struct dts_transpose matrices_of(const struct dts_op_call *call,
                                        const struct dts_arrays *a, bool back)
{
    const struct dts_permutation p = dts_permutation_of(call, back);
    struct dts_transpose m = {.from = back ? a->dy : a->x[0], .to = back ? a->dx[0] : a->y};
    if (dts_permutation_transposes(&p, &m.rows, &m.columns, &m.count))
        m.count *= (size_t)a->batch;
    return m;
}

static void lines_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    move_lines(call, a, range, false);
}

static void lines_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    move_lines(call, a, range, true);
}

static void tiles_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const struct dts_transpose m = matrices_of(call, a, false);
    dts_transpose_some(&m, range.first, range.count);
}

static void tiles_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const struct dts_transpose m = matrices_of(call, a, true);
    dts_transpose_some(&m, range.first, range.count);
}

static void move_host(const struct dts_op_call *call, const struct dts_arrays *a,
                      const struct dts_place *place, bool back)
{
    const struct dts_permutation p = dts_permutation_of(call, back);
    const struct dts_transpose m = matrices_of(call, a, back);
    if (m.count > 0)
        dts_ranges(back ? tiles_backward : tiles_forward, dts_transpose_parts(&m), call, a,
                   place);
    else
        dts_ranges(back ? lines_backward : lines_forward,
                   (size_t)a->batch * p.values / p.size[p.count - 1], call, a, place);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    move(call, a, false);
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    if (a->dx[0] != NULL)
        move(call, a, true);
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    move_host(call, a, place, false);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        move_host(call, a, place, true);
}

const struct dts_operation dts_op_permute = {
    .name = "permute",
    .summary = "its axes in another order",
    .cost = dts_part_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_permute_forward_cuda, dts_permute_backward_cuda}),
};

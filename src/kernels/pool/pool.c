/* pool.c -- the largest value or the mean of each window, channel by channel:
 *
 *     max_pool  y[c, p] = x[c, q], q the first of the largest in window p
 *               dx[c, q] = sum of dy[c, p] over the windows p whose largest was at q
 *     avg_pool  y[c, p] = sum over window p of x[c, q] / values
 *               dx[c, q] = sum of dy[c, p] / values over the windows p with q in them
 *
 * Where a window reaches outside, a maximum leaves it out; a mean counts it as zeros (as
 * PyTorch's count_include_pad), or with `inside` leaves it out. saved of max_pool: q, an int32
 * for each value of y.
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/pool/pool.h"

struct dts_pool dts_pool_of(const struct dts_op_call *call, int batch)
{
    const struct dts_dims *in = &call->inputs[0], *out = &call->output;
    struct dts_pool pool = {.planes = (size_t)batch * in->size[0],
                            .in_pixels = 1,
                            .out_pixels = 1,
                            .inside = call->inside};
    const int missing = DTS_POOL_AXES - (in->count - 1);
    for (int i = 0; i < DTS_POOL_AXES; i++) {
        const int axis = i - missing; // of the call
        pool.in[i] = axis >= 0 ? (int)in->size[axis + 1] : 1;
        pool.out[i] = axis >= 0 ? (int)out->size[axis + 1] : 1;
        pool.kernel[i] = axis >= 0 ? call->window.kernel[axis] : 1;
        pool.stride[i] = axis >= 0 ? call->window.stride[axis] : 1;
        pool.before[i] = axis >= 0 ? call->window.before[axis] : 0;
        pool.in_pixels *= (size_t)pool.in[i];
        pool.out_pixels *= (size_t)pool.out[i];
    }
    return pool;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

struct dts_pool_window dts_pool_window_at(const struct dts_pool *pool, size_t pixel)
{
    struct dts_pool_window window = {.values = 1};
    for (int i = DTS_POOL_AXES - 1; i >= 0; i--) {
        const int at = (int)(pixel % (size_t)pool->out[i]);
        const int begin = at * pool->stride[i] - pool->before[i];
        const int end = begin + pool->kernel[i];
        pixel /= (size_t)pool->out[i];
        window.first[i] = begin > 0 ? begin : 0;
        window.end[i] = min(end, pool->in[i]);
        window.values *= pool->inside ? window.end[i] - window.first[i]
                                      : min(end, pool->in[i] + pool->before[i]) - begin;
    }
    return window;
}

/* Call `see` with every pixel of every window, in order. */
static void for_each_value(const struct dts_pool *pool, const struct dts_arrays *a,
                           void (*see)(const struct dts_arrays *a, size_t plane_in, size_t out,
                                       size_t pixel, double values))
{
    for (size_t out = 0; out < pool->planes * pool->out_pixels; out++) {
        const struct dts_pool_window w = dts_pool_window_at(pool, out % pool->out_pixels);
        const size_t plane = out / pool->out_pixels * pool->in_pixels;
        for (int i = w.first[0]; i < w.end[0]; i++)
            for (int j = w.first[1]; j < w.end[1]; j++)
                for (int k = w.first[2]; k < w.end[2]; k++)
                    see(a, plane, out, (size_t)((i * pool->in[1] + j) * pool->in[2] + k),
                        w.values);
    }
}

enum { NONE = -1 };

static void see_largest(const struct dts_arrays *a, size_t plane, size_t out, size_t pixel,
                        double values)
{
    (void)values;
    int32_t *largest = (int32_t *)a->saved + out;
    const double *x = (const double *)a->x[0] + plane;
    if (*largest == NONE || x[pixel] > x[*largest])
        *largest = (int32_t)pixel;
}

static void max_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        const struct dts_place *place)
{
    (void)place;
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    int32_t *largest = a->saved;
    for (size_t out = 0; out < pool.planes * pool.out_pixels; out++)
        largest[out] = NONE;
    for_each_value(&pool, a, see_largest);
    for (size_t out = 0; out < pool.planes * pool.out_pixels; out++)
        ((double *)a->y)[out] =
            ((const double *)
                 a->x[0])[out / pool.out_pixels * pool.in_pixels + (size_t)largest[out]];
}

static void max_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const int32_t *largest = a->saved;
    if (a->dx[0] == NULL)
        return;
    memset(a->dx[0], 0, pool.planes * pool.in_pixels * sizeof(double));
    for (size_t out = 0; out < pool.planes * pool.out_pixels; out++)
        ((double *)a->dx[0])[out / pool.out_pixels * pool.in_pixels + (size_t)largest[out]] +=
            ((const double *)a->dy)[out];
}

static void see_sum(const struct dts_arrays *a, size_t plane, size_t out, size_t pixel,
                    double values)
{
    ((double *)a->y)[out] += ((const double *)a->x[0])[plane + pixel] / values;
}

static void see_share(const struct dts_arrays *a, size_t plane, size_t out, size_t pixel,
                      double values)
{
    ((double *)a->dx[0])[plane + pixel] += ((const double *)a->dy)[out] / values;
}

static void avg_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        const struct dts_place *place)
{
    (void)place;
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    memset(a->y, 0, pool.planes * pool.out_pixels * sizeof(double));
    for_each_value(&pool, a, see_sum);
}

static void avg_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    if (a->dx[0] == NULL)
        return;
    memset(a->dx[0], 0, pool.planes * pool.in_pixels * sizeof(double));
    for_each_value(&pool, a, see_share);
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    (void)real;
    return (size_t)batch * dts_dims_elements(&call->output) * sizeof(int32_t);
}

const struct dts_operation dts_op_max_pool = {
    .name = "max_pool",
    .summary = "largest value of each window",
    .saved_bytes = saved_bytes,
    .cost = dts_max_pool_cost,
    .reference = {max_forward, max_backward},
    .host = {dts_max_pool_forward_host, dts_max_pool_backward_host, dts_pool_scratch_host,
             dts_max_pool_backward_scratch_host},
    .cuda = DTS_CUDA({dts_max_pool_forward_cuda, dts_max_pool_backward_cuda}),
};

const struct dts_operation dts_op_avg_pool = {
    .name = "avg_pool",
    .summary = "mean of each window",
    .cost = dts_avg_pool_cost,
    .reference = {avg_forward, avg_backward},
    .host = {dts_avg_pool_forward_host, dts_avg_pool_backward_host, dts_pool_scratch_host,
             dts_pool_scratch_host},
    .cuda = DTS_CUDA({dts_avg_pool_forward_cuda, dts_avg_pool_backward_cuda}),
};

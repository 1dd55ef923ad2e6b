/* mean_pool.cu -- the GPU version of mean_pool.c, which says what is computed. Forward a warp
 * takes a window, its lanes neighbours of a line; backward a thread takes a pixel and adds what
 * the windows over it hand down, in their order.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/pool/mean_pool.h"
}

enum { WINDOWS = 8 /* of a block */ };

/* Along an axis, window i of n is [first, end). */
struct part {
    size_t first, end;
};

static __device__ struct part part_of(size_t i, size_t size, size_t n)
{
    return {i * size / n, ((i + 1) * size + n - 1) / n};
}

struct box {
    struct part axis[DTS_GRID_AXES];
    float values;
};

static __device__ struct box box_of(const struct dts_grid &g, size_t window)
{
    struct box box;
    box.values = 1;
    for (int i = DTS_GRID_AXES - 1; i >= 0; i--) {
        box.axis[i] = part_of(window % g.out[i], g.in[i], g.out[i]);
        window /= g.out[i];
        box.values *= box.axis[i].end - box.axis[i].first;
    }
    return box;
}

/* Pixels of the box are counted through, so that a warp is busy however short its lines. */
static __global__ void means(struct dts_grid g, size_t windows, const float *x, float *y)
{
    const size_t window = (size_t)blockIdx.x * WINDOWS + threadIdx.y;
    if (window >= windows)
        return;
    const struct box box = box_of(g, window % g.out_pixels);
    const float *plane = x + window / g.out_pixels * g.in_pixels;
    const unsigned planes = (unsigned)(box.axis[0].end - box.axis[0].first);
    const unsigned lines = (unsigned)(box.axis[1].end - box.axis[1].first);
    const unsigned columns = (unsigned)(box.axis[2].end - box.axis[2].first);
    const unsigned pixels = planes * lines * columns; // a channel has no more than 2^30
    float sum = 0;
    for (unsigned k = threadIdx.x; k < pixels; k += DTS_WARP) {
        const size_t i = box.axis[0].first + k / columns / lines;
        const size_t j = box.axis[1].first + k / columns % lines;
        sum += plane[(i * g.in[1] + j) * g.in[2] + box.axis[2].first + k % columns];
    }
    sum = dts_sum_over_warp(sum);
    if (threadIdx.x == 0)
        y[window] = sum / box.values;
}

/* The windows over a pixel are those from floor(p n / size) to ceil((p + 1) n / size) - 1. */
static __device__ struct part over(size_t pixel, size_t size, size_t n)
{
    return part_of(pixel, n, size);
}

static __device__ float share(const struct dts_grid &g, const float *dy, size_t pixel)
{
    const struct part k = over(pixel % g.in[2], g.in[2], g.out[2]);
    const struct part j = over(pixel / g.in[2] % g.in[1], g.in[1], g.out[1]);
    const struct part i = over(pixel / g.in[2] / g.in[1], g.in[0], g.out[0]);
    float sum = 0;
    for (size_t a = i.first; a < i.end; a++)
        for (size_t b = j.first; b < j.end; b++)
            for (size_t c = k.first; c < k.end; c++) {
                const size_t window = (a * g.out[1] + b) * g.out[2] + c;
                sum += dy[window] / box_of(g, window).values;
            }
    return sum;
}

extern "C" void dts_mean_pool_forward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    const struct dts_grid g = dts_grid_of(call);
    const size_t windows = (size_t)a->batch * call->inputs[0].size[0] * g.out_pixels;
    means<<<(unsigned)((windows + WINDOWS - 1) / WINDOWS), dim3(DTS_WARP, WINDOWS), 0,
            dts_stream(place)>>>(g, windows, (const float *)a->x[0], (float *)a->y);
}

extern "C" void dts_mean_pool_backward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    const struct dts_grid g = dts_grid_of(call);
    const float *dy = (const float *)a->dy;
    float *dx = (float *)a->dx[0];
    if (dx != NULL)
        dts_for_each_pixel((size_t)a->batch * call->inputs[0].size[0], g.in_pixels, place,
                           [=] __device__(size_t plane, size_t pixel) {
                               dx[plane * g.in_pixels + pixel] =
                                   share(g, dy + plane * g.out_pixels, pixel);
                           });
}

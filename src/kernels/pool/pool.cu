/* pool.cu -- the GPU version of pool.c, which says what is computed. A thread takes a pixel:
 * of the output forward; of the input backward, where it asks all windows over it, in their
 * order, so that nothing is added by two threads.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/pool/pool.h"
}

enum { AXES = DTS_POOL_AXES };

/* Along each axis [first, end): the pixels of a window, or the windows over a pixel. */
struct span {
    int first[AXES], end[AXES];
    float values; // of a window: what an average divides by; more than an int counts, maybe
};

static __device__ struct span window_of(const struct dts_pool &pool, size_t pixel)
{
    struct span w;
    w.values = 1;
    for (int i = AXES - 1; i >= 0; i--) {
        const int begin = (int)(pixel % pool.out[i]) * pool.stride[i] - pool.before[i];
        const int end = begin + pool.kernel[i];
        pixel /= pool.out[i];
        w.first[i] = max(begin, 0);
        w.end[i] = min(end, pool.in[i]);
        w.values *= (float)(pool.inside ? w.end[i] - w.first[i]
                                        : min(end, pool.in[i] + pool.before[i]) - begin);
    }
    return w;
}

static __device__ struct span windows_over(const struct dts_pool &pool, size_t pixel)
{
    struct span s;
    for (int i = AXES - 1; i >= 0; i--) {
        const int at = (int)(pixel % pool.in[i]) + pool.before[i];
        const int early = at - pool.kernel[i]; // a window that begins here ends before it
        pixel /= pool.in[i];
        s.first[i] = early < 0 ? 0 : early / pool.stride[i] + 1;
        s.end[i] = min(at / pool.stride[i] + 1, pool.out[i]);
    }
    return s;
}

/* function(p) for each pixel p of a span, on a grid of these sizes. */
template <typename Function>
static __device__ void walk(const struct span &s, const int *sizes, Function function)
{
    for (int i = s.first[0]; i < s.end[0]; i++)
        for (int j = s.first[1]; j < s.end[1]; j++)
            for (int k = s.first[2]; k < s.end[2]; k++)
                function((i * sizes[1] + j) * sizes[2] + k);
}

extern "C" void dts_max_pool_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    int32_t *saved = (int32_t *)a->saved;
    dts_for_each_pixel(
        pool.planes, pool.out_pixels, place, [=] __device__(size_t plane, size_t out) {
            const float *from = x + plane * pool.in_pixels;
            const struct span w = window_of(pool, out);
            int largest = (w.first[0] * pool.in[1] + w.first[1]) * pool.in[2] + w.first[2];
            walk(w, pool.in, [&](int p) { largest = from[p] > from[largest] ? p : largest; });
            y[plane * pool.out_pixels + out] = from[largest];
            saved[plane * pool.out_pixels + out] = largest;
        });
}

extern "C" void dts_max_pool_backward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const float *dy = (const float *)a->dy;
    const int32_t *saved = (const int32_t *)a->saved;
    float *dx = (float *)a->dx[0];
    if (dx == NULL)
        return;
    dts_for_each_pixel(
        pool.planes, pool.in_pixels, place, [=] __device__(size_t plane, size_t in) {
            const size_t first = plane * pool.out_pixels;
            float sum = 0;
            walk(windows_over(pool, in), pool.out,
                 [&](int p) { sum += saved[first + p] == (int)in ? dy[first + p] : 0; });
            dx[plane * pool.in_pixels + in] = sum;
        });
}

extern "C" void dts_avg_pool_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    dts_for_each_pixel(pool.planes, pool.out_pixels, place,
                       [=] __device__(size_t plane, size_t out) {
                           const float *from = x + plane * pool.in_pixels;
                           const struct span w = window_of(pool, out);
                           float sum = 0;
                           walk(w, pool.in, [&](int p) { sum += from[p]; });
                           y[plane * pool.out_pixels + out] = sum / w.values;
                       });
}

extern "C" void dts_avg_pool_backward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const float *dy = (const float *)a->dy;
    float *dx = (float *)a->dx[0];
    if (dx == NULL)
        return;
    dts_for_each_pixel(
        pool.planes, pool.in_pixels, place, [=] __device__(size_t plane, size_t in) {
            const size_t first = plane * pool.out_pixels;
            float sum = 0;
            walk(windows_over(pool, in), pool.out,
                 [&](int p) { sum += dy[first + p] / window_of(pool, p).values; });
            dx[plane * pool.in_pixels + in] = sum;
        });
}

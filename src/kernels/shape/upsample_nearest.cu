/* upsample_nearest.cu -- the GPU version of upsample_nearest.c, which says what is computed.
 * Backward a thread takes an input and adds what repeated it, in order: no atomics.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/shape/upsample.h"
}

/* The first output that repeats input i. */
static __device__ size_t first_of(size_t i, size_t in, size_t out)
{
    return (i * out + in - 1) / in;
}

extern "C" void dts_upsample_nearest_forward_cuda(const struct dts_op_call *call,
                                                  const struct dts_arrays *a,
                                                  const struct dts_place *place)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    dts_for_each_pixel(u.planes, u.out_pixels, place,
                       [=] __device__(size_t plane, size_t pixel) {
                           const size_t k = pixel % u.out[2] * u.in[2] / u.out[2];
                           const size_t j = pixel / u.out[2] % u.out[1] * u.in[1] / u.out[1];
                           const size_t i = pixel / u.out[2] / u.out[1] * u.in[0] / u.out[0];
                           y[plane * u.out_pixels + pixel] =
                               x[plane * u.in_pixels + (i * u.in[1] + j) * u.in[2] + k];
                       });
}

static __device__ float gathered(const struct dts_upsample &u, const float *dy, size_t pixel)
{
    const size_t k = pixel % u.in[2], j = pixel / u.in[2] % u.in[1],
                 i = pixel / u.in[2] / u.in[1];
    float sum = 0;
    for (size_t a = first_of(i, u.in[0], u.out[0]); a < first_of(i + 1, u.in[0], u.out[0]); a++)
        for (size_t b = first_of(j, u.in[1], u.out[1]); b < first_of(j + 1, u.in[1], u.out[1]);
             b++)
            for (size_t c = first_of(k, u.in[2], u.out[2]);
                 c < first_of(k + 1, u.in[2], u.out[2]); c++)
                sum += dy[(a * u.out[1] + b) * u.out[2] + c];
    return sum;
}

extern "C" void dts_upsample_nearest_backward_cuda(const struct dts_op_call *call,
                                                   const struct dts_arrays *a,
                                                   const struct dts_place *place)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const float *dy = (const float *)a->dy;
    float *dx = (float *)a->dx[0];
    if (dx != NULL)
        dts_for_each_pixel(
            u.planes, u.in_pixels, place, [=] __device__(size_t plane, size_t pixel) {
                dx[plane * u.in_pixels + pixel] = gathered(u, dy + plane * u.out_pixels, pixel);
            });
}

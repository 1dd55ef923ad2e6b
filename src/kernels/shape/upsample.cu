/* upsample.cu -- the GPU version of upsample.c, which says what is computed. Forward a thread
 * takes an output and the inputs around it; backward an input and the outputs that it gave to,
 * in their order: no atomics.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/shape/upsample.h"
}

struct between {
    size_t low, high;
    float share;
};

static __device__ struct between between_of(size_t output, size_t in, size_t out)
{
    const size_t whole = (2 * output + 1) * in, at = whole > out ? whole - out : 0;
    const size_t low = at / (2 * out);
    return {low, low + 1 < in ? low + 1 : low, (float)(at % (2 * out)) / (float)(2 * out)};
}

/* What input i counts in the output. */
static __device__ float share_of(size_t i, size_t output, size_t in, size_t out)
{
    const struct between b = between_of(output, in, out);
    return (b.low == i ? 1 - b.share : 0) + (b.high == i ? b.share : 0);
}

/* The outputs between input i - 1 and i + 1, and perhaps one more at each end. */
struct part {
    size_t first, end;
};

static __device__ struct part outputs_of(size_t i, size_t in, size_t out)
{
    const size_t first = i > 0 ? (2 * i - 1) * out / (2 * in) : 0;
    const size_t end = ((2 * i + 3) * out + 2 * in - 1) / (2 * in) + 1;
    return {first > 0 ? first - 1 : 0, i + 1 < in && end < out ? end : out};
}

static __device__ float interpolated(const struct dts_upsample &u, const float *x, size_t pixel)
{
    const struct between k = between_of(pixel % u.out[2], u.in[2], u.out[2]);
    const struct between j = between_of(pixel / u.out[2] % u.out[1], u.in[1], u.out[1]);
    const struct between i = between_of(pixel / u.out[2] / u.out[1], u.in[0], u.out[0]);
    float sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        const float share =
            (corner & 2 ? i.share : 1 - i.share) * (corner & 1 ? j.share : 1 - j.share);
        const float *line =
            x +
            ((corner & 2 ? i.high : i.low) * u.in[1] + (corner & 1 ? j.high : j.low)) * u.in[2];
        sum += share * (line[k.low] + k.share * (line[k.high] - line[k.low]));
    }
    return sum;
}

static __device__ float gathered(const struct dts_upsample &u, const float *dy, size_t pixel)
{
    const size_t at[] = {pixel / u.in[2] / u.in[1], pixel / u.in[2] % u.in[1], pixel % u.in[2]};
    const struct part i = outputs_of(at[0], u.in[0], u.out[0]);
    const struct part j = outputs_of(at[1], u.in[1], u.out[1]);
    const struct part k = outputs_of(at[2], u.in[2], u.out[2]);
    float sum = 0;
    for (size_t a = i.first; a < i.end; a++)
        for (size_t b = j.first; b < j.end; b++) {
            const float share =
                share_of(at[0], a, u.in[0], u.out[0]) * share_of(at[1], b, u.in[1], u.out[1]);
            const float *line = dy + (a * u.out[1] + b) * u.out[2];
            float part = 0;
            for (size_t c = k.first; c < k.end && share != 0; c++)
                part += share_of(at[2], c, u.in[2], u.out[2]) * line[c];
            sum += share * part;
        }
    return sum;
}

extern "C" void dts_upsample_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    dts_for_each_pixel(
        u.planes, u.out_pixels, place, [=] __device__(size_t plane, size_t pixel) {
            y[plane * u.out_pixels + pixel] = interpolated(u, x + plane * u.in_pixels, pixel);
        });
}

extern "C" void dts_upsample_backward_cuda(const struct dts_op_call *call,
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

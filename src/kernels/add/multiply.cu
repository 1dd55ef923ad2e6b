/* multiply.cu -- the GPU version of multiply.c, which says what is computed. A factor for each
 * channel is read once for its plane; its gradient is summed by a block of its own.
 */
#include "kernels/space/device.cuh"

/* Pixels that share a factor. */
static size_t pixels_of(const struct dts_op_call *call)
{
    return dts_dims_elements(&call->inputs[0]) / dts_dims_elements(&call->inputs[1]);
}

static size_t factors_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->inputs[1]);
}

/* y[i, p] = x[i, p] factors[i] */
static void scale(const struct dts_op_call *call, const struct dts_arrays *a,
                  const struct dts_place *place, const void *from, void *to)
{
    const float *x = (const float *)from, *factors = (const float *)a->x[1];
    float *y = (float *)to;
    const size_t pixels = pixels_of(call);
    if (pixels == 1)
        dts_for_each(factors_of(call, a), place,
                     [=] __device__(size_t i) { y[i] = x[i] * factors[i]; });
    else
        dts_for_each_pixel(factors_of(call, a), pixels, place,
                           [=] __device__(size_t i, size_t p) {
                               y[i * pixels + p] = x[i * pixels + p] * factors[i];
                           });
}

static __global__ void inner_products(const float *x, const float *dy, float *sums,
                                      size_t pixels)
{
    const size_t first = (size_t)blockIdx.x * pixels;
    float sum = 0;
    for (size_t p = threadIdx.x; p < pixels; p += blockDim.x)
        sum += x[first + p] * dy[first + p];
    sum = dts_sum_over_block(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

extern "C" void dts_multiply_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    scale(call, a, place, a->x[0], a->y);
}

extern "C" void dts_multiply_backward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    const size_t pixels = pixels_of(call), factors = factors_of(call, a);
    const float *x = (const float *)a->x[0], *dy = (const float *)a->dy;
    float *db = (float *)a->dx[1];
    if (a->dx[0] != NULL)
        scale(call, a, place, a->dy, a->dx[0]);
    if (db != NULL && pixels == 1)
        dts_for_each(factors, place, [=] __device__(size_t i) { db[i] = x[i] * dy[i]; });
    else if (db != NULL)
        inner_products<<<(unsigned)factors, dts_threads_for(pixels), 0, dts_stream(place)>>>(
            x, dy, db, pixels);
}

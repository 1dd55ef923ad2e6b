/* layer_scale.cu -- the GPU version of layer_scale.c, which says what is computed. A block adds
 * up the gradient of a factor. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/add/layer_scale.h"
}

static void scale(const struct dts_layer_scale &s, const void *w, const void *from, void *to,
                  const struct dts_place *place)
{
    const size_t factors = s.factors, alike = s.alike;
    const float *by = (const float *)w, *x = (const float *)from;
    float *y = (float *)to;
    dts_for_each(s.rows * factors * alike, place,
                 [=] __device__(size_t i) { y[i] = by[i / alike % factors] * x[i]; });
}

static __global__ void add_up(struct dts_layer_scale s, const float *x, const float *dy,
                              float *dw)
{
    float sum = 0;
    for (size_t k = threadIdx.x; k < s.rows * s.alike; k += blockDim.x) {
        const size_t i = (k / s.alike * s.factors + blockIdx.x) * s.alike + k % s.alike;
        sum += x[i] * dy[i];
    }
    sum = dts_sum_over_block(sum);
    if (threadIdx.x == 0)
        dw[blockIdx.x] += sum;
}

extern "C" void dts_layer_scale_forward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    scale(dts_layer_scale_of(call, a->batch), a->w[0], a->x[0], a->y, place);
}

extern "C" void dts_layer_scale_backward_cuda(const struct dts_op_call *call,
                                              const struct dts_arrays *a,
                                              const struct dts_place *place)
{
    const struct dts_layer_scale s = dts_layer_scale_of(call, a->batch);
    if (a->dw[0] != NULL)
        add_up<<<(unsigned)s.factors, DTS_THREADS, 0, dts_stream(place)>>>(
            s, (const float *)a->x[0], (const float *)a->dy, (float *)a->dw[0]);
    if (a->dx[0] != NULL)
        scale(s, a->w[0], a->dy, a->dx[0], place);
}

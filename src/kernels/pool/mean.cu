/* mean.cu -- the GPU version of mean.c, which says what is computed. A thread takes a feature
 * of a sample; neighbours read side by side. */
#include "kernels/space/device.cuh"

extern "C" void dts_mean_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    const size_t n = dts_dims_features(&call->inputs[0]);
    const size_t positions = dts_dims_positions(&call->inputs[0]);
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    dts_for_each_pixel((size_t)a->batch, n, place, [=] __device__(size_t b, size_t f) {
        float sum = 0;
        for (size_t p = 0; p < positions; p++)
            sum += x[(b * positions + p) * n + f];
        y[b * n + f] = sum / positions;
    });
}

extern "C" void dts_mean_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    const size_t n = dts_dims_features(&call->inputs[0]);
    const size_t positions = dts_dims_positions(&call->inputs[0]);
    const float *dy = (const float *)a->dy, share = 1.0f / positions;
    float *dx = (float *)a->dx[0];
    if (dx != NULL)
        dts_for_each_pixel((size_t)a->batch, positions * n, place,
                           [=] __device__(size_t b, size_t i) {
                               dx[b * positions * n + i] = dy[b * n + i % n] * share;
                           });
}

/* stochastic_depth.cu -- the GPU version of stochastic_depth.c, which says what is computed:
 * the samples' bits by one kernel, then a plane of values for each sample. */
#include "kernels/dropout/dropout.cuh"

static void scale(const struct dts_op_call *call, const struct dts_arrays *a,
                  const struct dts_place *place, const void *from, void *to)
{
    const size_t n = dts_dims_elements(&call->output);
    const uint8_t *keep = (const uint8_t *)a->saved;
    const float factor = (float)dts_dropout_scale(call), *x = (const float *)from;
    float *y = (float *)to;
    dts_for_each_pixel((size_t)a->batch, n, place, [=] __device__(size_t sample, size_t i) {
        y[sample * n + i] = x[sample * n + i] * (keep[sample] ? factor : 0);
    });
}

extern "C" void dts_stochastic_depth_forward_cuda(const struct dts_op_call *call,
                                                  const struct dts_arrays *a,
                                                  const struct dts_place *place)
{
    const struct draw draw = {a->seed, a->step, a->first_sample, dts_dropout_threshold(call)};
    uint8_t *keep = (uint8_t *)a->saved;
    if (a->training) {
        dts_for_each((size_t)a->batch, place, [=] __device__(size_t sample) {
            keep[sample] = (bits_of(draw, sample, 0).x & 0xffff) >= draw.threshold;
        });
        scale(call, a, place, a->x[0], a->y);
    } else if (a->y != a->x[0]) {
        cudaMemcpyAsync(a->y, a->x[0], dts_values(call, a) * sizeof(float),
                        cudaMemcpyDeviceToDevice, dts_stream(place));
    }
}

extern "C" void dts_stochastic_depth_backward_cuda(const struct dts_op_call *call,
                                                   const struct dts_arrays *a,
                                                   const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        scale(call, a, place, a->dy, a->dx[0]);
}

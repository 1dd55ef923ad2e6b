/* class_token.cu -- the GPU version of class_token.c, which says what is computed. */
#include "kernels/space/device.cuh"

extern "C" void dts_class_token_forward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    const size_t in = dts_dims_elements(&call->inputs[0]);
    const size_t out = dts_dims_elements(&call->output), rows = out - in;
    const float *x = (const float *)a->x[0], *w = (const float *)a->w[0];
    float *y = (float *)a->y;
    dts_for_each_pixel((size_t)a->batch, out, place, [=] __device__(size_t b, size_t i) {
        y[b * out + i] = i < rows ? w[i] : x[b * in + i - rows];
    });
}

extern "C" void dts_class_token_backward_cuda(const struct dts_op_call *call,
                                              const struct dts_arrays *a,
                                              const struct dts_place *place)
{
    const size_t in = dts_dims_elements(&call->inputs[0]);
    const size_t out = dts_dims_elements(&call->output), rows = out - in;
    const size_t batch = (size_t)a->batch;
    const float *dy = (const float *)a->dy;
    float *dx = (float *)a->dx[0], *dw = (float *)a->dw[0];
    if (dx != NULL)
        cudaMemcpy2DAsync(dx, in * sizeof(*dx), dy + rows, out * sizeof(*dy), in * sizeof(*dx),
                          batch, cudaMemcpyDeviceToDevice, dts_stream(place));
    if (dw != NULL)
        dts_for_each(rows, place, [=] __device__(size_t i) {
            float sum = 0;
            for (size_t b = 0; b < batch; b++)
                sum += dy[b * out + i];
            dw[i] += sum;
        });
}

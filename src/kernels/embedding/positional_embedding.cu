/* positional_embedding.cu -- the GPU version of positional_embedding.c, which says what is
 * computed. */
#include "kernels/product/products.cuh"

extern "C" void dts_positional_embedding_forward_cuda(const struct dts_op_call *call,
                                                      const struct dts_arrays *a,
                                                      const struct dts_place *place)
{
    const size_t n = dts_dims_elements(&call->output);
    const float *x = (const float *)a->x[0], *w = (const float *)a->w[0];
    float *y = (float *)a->y;
    dts_for_each((size_t)a->batch * n, place,
                 [=] __device__(size_t i) { y[i] = x[i] + w[i % n]; });
}

extern "C" void dts_positional_embedding_backward_cuda(const struct dts_op_call *call,
                                                       const struct dts_arrays *a,
                                                       const struct dts_place *place)
{
    const size_t n = dts_dims_elements(&call->output);
    if (a->dw[0] != NULL)
        dts_add_columns((float *)a->dw[0], (const float *)a->dy, (size_t)a->batch, n, place);
    if (a->dx[0] != NULL && a->dx[0] != a->dy)
        cudaMemcpyAsync(a->dx[0], a->dy, (size_t)a->batch * n * sizeof(float),
                        cudaMemcpyDeviceToDevice, dts_stream(place));
}

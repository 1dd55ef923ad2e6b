/* linear.cu -- the GPU version of linear.c, which says what is computed: three products. */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/product/linear.h"
}

extern "C" void dts_linear_forward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    const struct dts_linear_sizes s = dts_linear_sizes(call, a->batch);
    const float *bias = (const float *)a->w[1];
    float *y = (float *)a->y;
    const size_t outputs = s.outputs;
    if (call->bias)
        dts_for_each(s.rows * s.outputs, place,
                     [=] __device__(size_t i) { y[i] = bias[i % outputs]; });
    struct dts_gemm product = {};
    product.transpose_b = true;
    product.m = s.rows, product.n = s.outputs, product.k = s.features;
    product.a = (const float *)a->x[0], product.lda = s.features;
    product.b = (const float *)a->w[0], product.ldb = s.features;
    product.c = y, product.ldc = s.outputs;
    product.beta = call->bias ? 1 : 0;
    dts_gemm_cuda(product, place);
}

static void weights_backward(const struct dts_linear_sizes &s, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    struct dts_gemm product = {};
    product.transpose_a = true;
    product.m = s.outputs, product.n = s.features, product.k = s.rows;
    product.a = (const float *)a->dy, product.lda = s.outputs;
    product.b = (const float *)a->x[0], product.ldb = s.features;
    product.c = (float *)a->dw[0], product.ldc = s.features;
    product.beta = 1;
    dts_gemm_cuda(product, place);
}

static void data_backward(const struct dts_linear_sizes &s, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    struct dts_gemm product = {};
    product.m = s.rows, product.n = s.features, product.k = s.outputs;
    product.a = (const float *)a->dy, product.lda = s.outputs;
    product.b = (const float *)a->w[0], product.ldb = s.features;
    product.c = (float *)a->dx[0], product.ldc = s.features;
    dts_gemm_cuda(product, place);
}

extern "C" void dts_linear_backward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    const struct dts_linear_sizes s = dts_linear_sizes(call, a->batch);
    if (a->dw[0] != NULL)
        weights_backward(s, a, place);
    if (a->dx[0] != NULL)
        data_backward(s, a, place);
    if (call->bias && a->dw[1] != NULL)
        dts_add_columns((float *)a->dw[1], (const float *)a->dy, s.rows, s.outputs, place);
}

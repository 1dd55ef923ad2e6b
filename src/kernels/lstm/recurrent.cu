/* recurrent.cu -- the GPU version of recurrent_host.c. */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/lstm/recurrent.h"
}

/* dw[gate] += sum over rows of da[row, gate] of[row] */
static void weights_backward(const struct dts_recurrent &s, const float *da, const float *of,
                             size_t rows, size_t columns, float *dw,
                             const struct dts_place *place)
{
    struct dts_gemm product = {};
    product.transpose_a = true;
    product.m = s.gates, product.n = columns, product.k = rows;
    product.a = da, product.lda = s.gates;
    product.b = of, product.ldb = columns;
    product.c = dw, product.ldc = columns;
    product.beta = 1;
    if (dw != NULL && rows > 0)
        dts_gemm_cuda(product, place);
}

extern "C" void dts_recurrent_backward_cuda(const struct dts_recurrent *sizes,
                                            const struct dts_arrays *a, const float *da,
                                            float *ds, const struct dts_place *place)
{
    const struct dts_recurrent &s = *sizes;
    const size_t rows = s.batch * s.steps;
    struct dts_gemm to_input = {};
    to_input.m = rows, to_input.n = s.features, to_input.k = s.gates;
    to_input.a = da, to_input.lda = s.gates;
    to_input.b = (const float *)a->w[DTS_RECURRENT_BY_INPUT], to_input.ldb = s.features;
    to_input.c = (float *)a->dx[0], to_input.ldc = s.features;
    if (a->dx[0] != NULL)
        dts_gemm_cuda(to_input, place);
    weights_backward(s, da, (const float *)a->x[0], rows, s.features,
                     (float *)a->dw[DTS_RECURRENT_BY_INPUT], place);
    for (int bias = DTS_RECURRENT_BIAS_INPUT; bias <= DTS_RECURRENT_BIAS_STATE; bias++)
        if (a->dw[bias] != NULL)
            dts_add_columns((float *)a->dw[bias], bias == DTS_RECURRENT_BIAS_INPUT ? da : ds,
                            rows, s.gates, place);
    // y of the row before, but for the first steps: the row before is another sample's
    cudaMemset2DAsync(ds, s.steps * s.gates * sizeof(float), 0, s.gates * sizeof(float),
                      s.batch, dts_stream(place));
    weights_backward(s, ds + s.gates, (const float *)a->y, rows - 1, s.outputs,
                     (float *)a->dw[DTS_RECURRENT_BY_STATE], place);
}

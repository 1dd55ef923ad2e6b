/* moe_product_host.c -- products of an expert's rows. */
#include "kernels/moe/moe_product.h"

#include "kernels/product/gemm.h"

enum { ALIGN = 16 }; // floats

size_t dts_moe_rounded(size_t floats)
{
    return (floats + ALIGN - 1) / ALIGN * ALIGN;
}

void dts_moe_multiply(const struct dts_moe_rows *rows, const float *a, int param, bool turned,
                      size_t inner, size_t columns, float *c, float beta)
{
    const struct dts_gemm product = {.transpose_b = turned,
                                     .m = rows->count,
                                     .n = columns,
                                     .k = inner,
                                     .a = a,
                                     .lda = inner,
                                     .b = (const float *)rows->a->w[param] +
                                          rows->expert * inner * columns,
                                     .ldb = turned ? inner : columns,
                                     .c = c,
                                     .ldc = columns,
                                     .beta = beta};
    dts_gemm(&product, rows->workers);
}

void dts_moe_add_weights(const struct dts_moe_rows *rows, int param, const float *a, size_t m,
                         const float *b, size_t n)
{
    if (rows->a->dw[param] == NULL)
        return;
    const struct dts_gemm product = {.transpose_a = true,
                                     .m = m,
                                     .n = n,
                                     .k = rows->count,
                                     .a = a,
                                     .lda = m,
                                     .b = b,
                                     .ldb = n,
                                     .c = (float *)rows->a->dw[param] + rows->expert * m * n,
                                     .ldc = n,
                                     .beta = 1};
    dts_gemm(&product, rows->workers);
}

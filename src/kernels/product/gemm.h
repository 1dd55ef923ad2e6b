/* gemm.h -- matrix products by OpenBLAS, row after row, split among workers. */
#ifndef DTS_KERNELS_PRODUCT_GEMM_H
#define DTS_KERNELS_PRODUCT_GEMM_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/workers.h"

/* c[m, n] = a[m, k] b[k, n] + beta c. A transposed operand is stored [k, m], [n, k]. lda, ldb,
 * ldc: distance between rows as stored. */
struct dts_gemm {
    bool transpose_a, transpose_b;
    size_t m, n, k;
    const float *a, *b;
    float *c;
    size_t lda, ldb, ldc;
    float beta;
};
void dts_gemm(const struct dts_gemm *product, struct dts_workers *workers);

/* By OpenBLAS, on the calling thread, whatever its sizes. */
void dts_gemm_by_library(const struct dts_gemm *product);

#endif

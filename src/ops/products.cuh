/* products.cuh -- products of matrices on a GPU by cuBLAS, which stores columns one behind
 * another: a product of rows is that of the transposed in the other order. */
#ifndef DTS_OPS_PRODUCTS_CUH
#define DTS_OPS_PRODUCTS_CUH

#include <cublas_v2.h>

#include "ops/device.cuh"

extern "C" {
#include "ops/gemm.h"
}

/* `count` products alike, whose operands lie that many values apart. */
struct dts_gemm_batch {
    size_t count, a, b, c;
};

static inline void dts_gemm_batch_cuda(const struct dts_gemm &p, const struct dts_gemm_batch &n,
                                       const struct dts_place *place)
{
    const float one = 1;
    cublasSgemmStridedBatched(
        (cublasHandle_t)place->blas, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
        p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, (int)p.n, (int)p.m, (int)p.k, &one, p.b,
        (int)p.ldb, (long long)n.b, p.a, (int)p.lda, (long long)n.a, &p.beta, p.c, (int)p.ldc,
        (long long)n.c, (int)n.count);
}

static inline void dts_gemm_cuda(const struct dts_gemm &p, const struct dts_place *place)
{
    const float one = 1;
    cublasSgemm((cublasHandle_t)place->blas, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, (int)p.n, (int)p.m, (int)p.k, &one,
                p.b, (int)p.ldb, p.a, (int)p.lda, &p.beta, p.c, (int)p.ldc);
}

/* sums[c] += sum over r of values[r, c]: a block takes 32 columns, its warps every eighth row.
 */
static __global__ void dts_columns(float *sums, const float *values, size_t rows,
                                   size_t columns)
{
    __shared__ float parts[8][DTS_WARP];
    const size_t c = (size_t)blockIdx.x * DTS_WARP + threadIdx.x;
    float sum = 0;
    for (size_t r = threadIdx.y; r < rows && c < columns; r += blockDim.y)
        sum += values[r * columns + c];
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || c >= columns)
        return;
    for (unsigned i = 1; i < blockDim.y; i++)
        sum += parts[i][threadIdx.x];
    sums[c] += sum;
}

static inline void dts_add_columns(float *sums, const float *values, size_t rows,
                                   size_t columns, const struct dts_place *place)
{
    dts_columns<<<(unsigned)((columns + DTS_WARP - 1) / DTS_WARP), dim3(DTS_WARP, 8), 0,
                  dts_stream(place)>>>(sums, values, rows, columns);
}

#endif

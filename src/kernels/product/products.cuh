/* products.cuh -- products of matrices on a GPU by cuBLAS, which stores columns one behind
 * another: a product of rows is that of the transposed in the other order. */
#ifndef DTS_KERNELS_PRODUCT_PRODUCTS_CUH
#define DTS_KERNELS_PRODUCT_PRODUCTS_CUH

#include "kernels/space/blas.cuh"
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/mixed.h"
#include "kernels/product/gemm.h"
#include "kernels/reduce/reduce.h"
}

/* `count` products alike, whose operands lie that many values apart. */
struct dts_gemm_batch {
    size_t count, a, b, c;
};

/* How far the operands of `count` products reach, `each` apart: `rows` of `row`, `last` in the
 * last one. */
static inline size_t dts_gemm_reach(size_t count, size_t each, size_t rows, size_t row,
                                    size_t last)
{
    return (count - 1) * each + (rows - 1) * row + last;
}

/* Values of 16 bits on the stream, until they are freed there. */
static inline uint16_t *dts_gemm_narrow(const float *x, size_t count,
                                        const struct dts_place *place)
{
    void *narrow = NULL;
    // without memory there is no product, and the next wait for the stream tells
    cudaMallocAsync(&narrow, count * sizeof(uint16_t), dts_stream(place));
    if (narrow != NULL)
        dts_reduce_narrow(place->mixed->half, (uint16_t *)narrow, x, count, place);
    return (uint16_t *)narrow;
}

/* Operands rounded to 16 bits, for tensor cores; sums and result in 32. */
static inline void dts_gemm_mixed_cuda(const struct dts_gemm &p, const struct dts_gemm_batch &n,
                                       const struct dts_place *place)
{
    const float one = 1;
    const cudaDataType type = place->mixed->half == DTS_HALF_BF16 ? CUDA_R_16BF : CUDA_R_16F;
    const size_t a_rows = p.transpose_a ? p.k : p.m, b_rows = p.transpose_b ? p.n : p.k;
    uint16_t *a = dts_gemm_narrow(
        p.a, dts_gemm_reach(n.count, n.a, a_rows, p.lda, p.transpose_a ? p.m : p.k), place);
    uint16_t *b = dts_gemm_narrow(
        p.b, dts_gemm_reach(n.count, n.b, b_rows, p.ldb, p.transpose_b ? p.k : p.n), place);
    if (a != NULL && b != NULL)
        dts_blas_note(dts_blas.GemmStridedBatchedEx(
            (cublasHandle_t)place->blas, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
            p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, (int)p.n, (int)p.m, (int)p.k, &one, b,
            type, (int)p.ldb, (long long)n.b, a, type, (int)p.lda, (long long)n.a, &p.beta, p.c,
            CUDA_R_32F, (int)p.ldc, (long long)n.c, (int)n.count, CUBLAS_COMPUTE_32F,
            CUBLAS_GEMM_DEFAULT));
    for (uint16_t *narrow : {a, b})
        if (narrow != NULL)
            cudaFreeAsync(narrow, dts_stream(place));
}

static inline void dts_gemm_batch_cuda(const struct dts_gemm &p, const struct dts_gemm_batch &n,
                                       const struct dts_place *place)
{
    const float one = 1;
    if (place->mixed != NULL) {
        dts_gemm_mixed_cuda(p, n, place);
        return;
    }
    dts_blas_note(dts_blas.SgemmStridedBatched(
        (cublasHandle_t)place->blas, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
        p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, (int)p.n, (int)p.m, (int)p.k, &one, p.b,
        (int)p.ldb, (long long)n.b, p.a, (int)p.lda, (long long)n.a, &p.beta, p.c, (int)p.ldc,
        (long long)n.c, (int)n.count));
}

static inline void dts_gemm_cuda(const struct dts_gemm &p, const struct dts_place *place)
{
    const float one = 1;
    if (place->mixed != NULL) {
        dts_gemm_mixed_cuda(p, {1, 0, 0, 0}, place);
        return;
    }
    dts_blas_note(
        dts_blas.Sgemm((cublasHandle_t)place->blas, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                       p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, (int)p.n, (int)p.m, (int)p.k,
                       &one, p.b, (int)p.ldb, p.a, (int)p.lda, &p.beta, p.c, (int)p.ldc));
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

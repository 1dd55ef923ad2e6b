/* cublas_v2.h -- of cuBLAS what kernels/space/blas.cuh names (blas.cpp). */
#ifndef DTS_TESTS_GPU_CUBLAS_V2_H
#define DTS_TESTS_GPU_CUBLAS_V2_H

#include "cuda_runtime.h"

typedef void *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INVALID_VALUE = 7 };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum cudaDataType { CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF };
enum cublasComputeType_t {
    CUBLAS_COMPUTE_32F,
    CUBLAS_COMPUTE_32F_FAST_TF32,
    CUBLAS_COMPUTE_64F
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT };

cublasStatus_t cublasCreate(cublasHandle_t *);
cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t *);
cublasStatus_t cublasGetVersion(cublasHandle_t, int *);
cublasStatus_t cublasSgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                           int k, const float *alpha, const float *a, int lda, const float *b,
                           int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                         int m, int n, int k, const float *alpha,
                                         const float *a, int lda, long long apart_a,
                                         const float *b, int ldb, long long apart_b,
                                         const float *beta, float *c, int ldc,
                                         long long apart_c, int count);

#endif

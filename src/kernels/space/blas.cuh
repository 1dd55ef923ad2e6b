/* blas.cuh -- cuBLAS, opened when the first GPU is (dts_gpu_blas()).
 *
 * It is not linked: its two libraries are half a gigabyte whose constructors take each process
 * a tenth of a second, with a GPU or without, and each rank of a live run is a process. */
#ifndef DTS_KERNELS_SPACE_BLAS_CUH
#define DTS_KERNELS_SPACE_BLAS_CUH

#include <cublas_v2.h>

extern "C" {
#include "kernels/space/gpu.h"
}

/* The two of which cublas_v2.h has another one for old programs. */
typedef cublasStatus_t (*dts_blas_gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                        int m, int n, int k, const void *alpha, const void *a,
                                        cudaDataType, int lda, const void *b, cudaDataType,
                                        int ldb, const void *beta, void *c, cudaDataType,
                                        int ldc, cublasComputeType_t, cublasGemmAlgo_t);
typedef cublasStatus_t (*dts_blas_gemms)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                         int m, int n, int k, const void *alpha, const void *a,
                                         cudaDataType, int lda, long long apart_a,
                                         const void *b, cudaDataType, int ldb,
                                         long long apart_b, const void *beta, void *c,
                                         cudaDataType, int ldc, long long apart_c, int count,
                                         cublasComputeType_t, cublasGemmAlgo_t);

/* What is called, by the names of cublas_v2.h without their cublas. */
struct dts_blas {
    decltype(&cublasCreate) Create;
    decltype(&cublasDestroy) Destroy;
    decltype(&cublasSetStream) SetStream;
    decltype(&cublasSetMathMode) SetMathMode;
    decltype(&cublasGetMathMode) GetMathMode;
    decltype(&cublasGetVersion) GetVersion;
    decltype(&cublasSgemm) Sgemm;
    decltype(&cublasSgemmStridedBatched) SgemmStridedBatched;
    dts_blas_gemm GemmEx;
    dts_blas_gemms GemmStridedBatchedEx;
};

/* All NULL until dts_gpu_blas() was true. */
extern struct dts_blas dts_blas;

/* What a call of it said. One that it refuses leaves no trace in the CUDA runtime, and a result
 * that was not written: the first refusal is kept until dts_blas_works() tells it. */
void dts_blas_note(cublasStatus_t status);
bool dts_blas_works(struct dts_error *err);

#endif

/* blas.cpp -- in the place of kernels/space/blas.cu: products by plain loops, which refuse what
 * cuBLAS does. */
#include <atomic>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "kernels/space/blas.cuh"

struct dts_blas dts_blas;
static std::atomic<int> refused{CUBLAS_STATUS_SUCCESS};

static size_t bytes_of(cudaDataType type)
{
    return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

static double get(const void *values, cudaDataType type, size_t i)
{
    switch (type) {
    case CUDA_R_32F:
        return ((const float *)values)[i];
    case CUDA_R_64F:
        return ((const double *)values)[i];
    case CUDA_R_16BF:
        return __bfloat162float(((const __nv_bfloat16 *)values)[i]);
    default:
        return __half2float(((const __half *)values)[i]);
    }
}

static void put(void *values, cudaDataType type, size_t i, double value)
{
    switch (type) {
    case CUDA_R_32F:
        ((float *)values)[i] = (float)value;
        break;
    case CUDA_R_64F:
        ((double *)values)[i] = value;
        break;
    case CUDA_R_16BF:
        ((__nv_bfloat16 *)values)[i] = __float2bfloat16_rn((float)value);
        break;
    default:
        ((__half *)values)[i] = __float2half_rn((float)value);
    }
}

/* Columns one behind another, with `row` values from one to the next. */
struct matrix {
    const void *values;
    cudaDataType type;
    bool transposed;
    int row;

    double at(size_t i, size_t j) const
    {
        return get(values, type, transposed ? i * row + j : j * row + i);
    }
};

static cublasStatus_t multiply(int m, int n, int k, double alpha, const matrix &a,
                               const matrix &b, double beta, void *c, cudaDataType type,
                               int ldc)
{
    const int a_least = a.transposed ? k : m, b_least = b.transposed ? n : k;
    if (m < 0 || n < 0 || k < 0 || a.row < a_least || b.row < b_least || ldc < m || a.row < 1 ||
        b.row < 1 || ldc < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            const size_t to = (size_t)j * ldc + i;
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += (float)(a.at(i, l) * b.at(l, j));
            put(c, type, to, alpha * sum + (beta == 0 ? 0 : beta * get(c, type, to)));
        }
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t gemms_ex(cublasHandle_t, cublasOperation_t a_op, cublasOperation_t b_op,
                               int m, int n, int k, const void *alpha, const void *a,
                               cudaDataType a_type, int lda, long long apart_a, const void *b,
                               cudaDataType b_type, int ldb, long long apart_b,
                               const void *beta, void *c, cudaDataType c_type, int ldc,
                               long long apart_c, int count, cublasComputeType_t compute,
                               cublasGemmAlgo_t)
{
    const cudaDataType factors = compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++) {
        const char *from_a = (const char *)a + i * apart_a * bytes_of(a_type);
        const char *from_b = (const char *)b + i * apart_b * bytes_of(b_type);
        status = multiply(m, n, k, get(alpha, factors, 0),
                          {from_a, a_type, a_op == CUBLAS_OP_T, lda},
                          {from_b, b_type, b_op == CUBLAS_OP_T, ldb}, get(beta, factors, 0),
                          (char *)c + i * apart_c * bytes_of(c_type), c_type, ldc);
    }
    return status;
}

static cublasStatus_t gemm_ex(cublasHandle_t blas, cublasOperation_t a_op,
                              cublasOperation_t b_op, int m, int n, int k, const void *alpha,
                              const void *a, cudaDataType a_type, int lda, const void *b,
                              cudaDataType b_type, int ldb, const void *beta, void *c,
                              cudaDataType c_type, int ldc, cublasComputeType_t compute,
                              cublasGemmAlgo_t algorithm)
{
    return gemms_ex(blas, a_op, b_op, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0,
                    beta, c, c_type, ldc, 0, 1, compute, algorithm);
}

static cublasStatus_t sgemms(cublasHandle_t blas, cublasOperation_t a_op,
                             cublasOperation_t b_op, int m, int n, int k, const float *alpha,
                             const float *a, int lda, long long apart_a, const float *b,
                             int ldb, long long apart_b, const float *beta, float *c, int ldc,
                             long long apart_c, int count)
{
    return gemms_ex(blas, a_op, b_op, m, n, k, alpha, a, CUDA_R_32F, lda, apart_a, b,
                    CUDA_R_32F, ldb, apart_b, beta, c, CUDA_R_32F, ldc, apart_c, count,
                    CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

static cublasStatus_t sgemm(cublasHandle_t blas, cublasOperation_t a_op, cublasOperation_t b_op,
                            int m, int n, int k, const float *alpha, const float *a, int lda,
                            const float *b, int ldb, const float *beta, float *c, int ldc)
{
    return sgemms(blas, a_op, b_op, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}

extern "C" bool dts_gpu_blas(struct dts_error *)
{
    dts_blas.Create = [](cublasHandle_t *blas) {
        *blas = malloc(1);
        return CUBLAS_STATUS_SUCCESS;
    };
    dts_blas.Destroy = [](cublasHandle_t blas) {
        free(blas);
        return CUBLAS_STATUS_SUCCESS;
    };
    dts_blas.SetStream = [](cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; };
    dts_blas.SetMathMode = [](cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; };
    dts_blas.GetMathMode = [](cublasHandle_t, cublasMath_t *mode) {
        *mode = CUBLAS_DEFAULT_MATH;
        return CUBLAS_STATUS_SUCCESS;
    };
    dts_blas.GetVersion = [](cublasHandle_t, int *version) {
        *version = 0;
        return CUBLAS_STATUS_SUCCESS;
    };
    dts_blas.Sgemm = sgemm;
    dts_blas.SgemmStridedBatched = sgemms;
    dts_blas.GemmEx = gemm_ex;
    dts_blas.GemmStridedBatchedEx = gemms_ex;
    return true;
}

void dts_blas_note(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        refused = status;
}

bool dts_blas_works(struct dts_error *err)
{
    const int status = refused.exchange(CUBLAS_STATUS_SUCCESS);
    return status == CUBLAS_STATUS_SUCCESS ||
           dts_fail(err, DTS_SYSTEM, "GPU: cuBLAS refuses a product: status %d", status);
}

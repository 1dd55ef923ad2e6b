/* blas.cu -- finds cuBLAS where the dynamic linker does, or where it was when this was built.
 */
#include "kernels/space/blas.cuh"

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct dts_blas dts_blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[256];
static std::atomic<int> refused{CUBLAS_STATUS_SUCCESS}; // any thread's product

template <typename Call> static void find(void *library, const char *name, Call *call)
{
    *call = (Call)dlsym(library, name);
    if (*call == NULL && missing[0] == '\0')
        snprintf(missing, sizeof(missing), "%s", dlerror());
}

static void open(void)
{
    void *library = dlopen(DTS_CUBLAS_NAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = dlopen(DTS_CUBLAS_FILE, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(missing, sizeof(missing), "%s", dlerror());
        return;
    }
    // as cublas_v2.h has it for each name
    find(library, "cublasCreate_v2", &dts_blas.Create);
    find(library, "cublasDestroy_v2", &dts_blas.Destroy);
    find(library, "cublasSetStream_v2", &dts_blas.SetStream);
    find(library, "cublasSetMathMode", &dts_blas.SetMathMode);
    find(library, "cublasGetMathMode", &dts_blas.GetMathMode);
    find(library, "cublasGetVersion_v2", &dts_blas.GetVersion);
    find(library, "cublasSgemm_v2", &dts_blas.Sgemm);
    find(library, "cublasSgemmStridedBatched", &dts_blas.SgemmStridedBatched);
    find(library, "cublasGemmEx", &dts_blas.GemmEx);
    find(library, "cublasGemmStridedBatchedEx", &dts_blas.GemmStridedBatchedEx);
}

extern "C" bool dts_gpu_blas(struct dts_error *err)
{
    pthread_once(&once, open);
    return missing[0] == '\0' ||
           dts_fail(err, DTS_SYSTEM, "GPU: cuBLAS cannot be opened: %s", missing);
}

void dts_blas_note(cublasStatus_t status)
{
    int none = CUBLAS_STATUS_SUCCESS;
    if (status != CUBLAS_STATUS_SUCCESS)
        refused.compare_exchange_strong(none, status);
}

bool dts_blas_works(struct dts_error *err)
{
    const int status = refused.exchange(CUBLAS_STATUS_SUCCESS);
    return status == CUBLAS_STATUS_SUCCESS ||
           dts_fail(err, DTS_SYSTEM, "GPU: cuBLAS refuses a product: status %d", status);
}

/* gpu.cu -- a GPU through the CUDA runtime: one stream, and cuBLAS on it. */
#include <cuda_runtime.h>
#include <stdlib.h>

extern "C" {
#include "base/mem.h"
#include "kernels/space/gpu.h"
}
#include "kernels/space/blas.cuh"

struct dts_gpu {
    int number;
    cudaStream_t stream;
    cublasHandle_t blas;
    struct dts_place place;
};

static bool works(cudaError_t error, const char *what, struct dts_error *err)
{
    return error == cudaSuccess ||
           dts_fail(err, DTS_SYSTEM, "GPU: %s: %s", what, cudaGetErrorString(error));
}

extern "C" bool dts_gpu_built(void)
{
    return true;
}

extern "C" int dts_gpu_count(void)
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

extern "C" void dts_gpu_close(struct dts_gpu *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->blas != NULL)
        dts_blas.Destroy(gpu->blas);
    if (gpu->stream != NULL)
        cudaStreamDestroy(gpu->stream);
    free(gpu);
}

/* Memory that a product took for its narrow operands stays with this process. By default the
 * runtime hands it back at each wait, and the next product waits until it is mapped again. A
 * device without such pools has nothing to keep. */
static void keep_memory(int number)
{
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool, number) != cudaSuccess ||
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) != cudaSuccess)
        cudaGetLastError(); // is no failure of what follows
}

extern "C" bool dts_gpu_open(struct dts_gpu **out, int number, struct dts_error *err)
{
    struct dts_gpu *gpu = (struct dts_gpu *)dts_alloc(1, sizeof(*gpu));
    gpu->number = number;
    bool good = works(cudaSetDevice(number), "cannot be used", err) &&
                works(cudaStreamCreate(&gpu->stream), "no stream", err) && dts_gpu_blas(err);
    if (good && (dts_blas.Create(&gpu->blas) != CUBLAS_STATUS_SUCCESS ||
                 dts_blas.SetStream(gpu->blas, gpu->stream) != CUBLAS_STATUS_SUCCESS))
        good = dts_fail(err, DTS_SYSTEM, "GPU: cuBLAS does not start");
    if (!good) {
        dts_gpu_close(gpu);
        return false;
    }
    keep_memory(number);
    gpu->place.stream = gpu->stream;
    gpu->place.blas = gpu->blas;
    *out = gpu;
    return true;
}

extern "C" const struct dts_place *dts_gpu_place(const struct dts_gpu *gpu)
{
    return &gpu->place;
}

extern "C" bool dts_gpu_alloc(void **memory, size_t bytes, struct dts_error *err)
{
    return works(cudaMalloc(memory, bytes > 0 ? bytes : 1), "no memory", err);
}

extern "C" void dts_gpu_free(void *memory)
{
    cudaFree(memory);
}

extern "C" bool dts_gpu_wait(struct dts_gpu *gpu, struct dts_error *err)
{
    return works(cudaGetLastError(), "a call did not start", err) && dts_blas_works(err) &&
           works(cudaStreamSynchronize(gpu->stream), "a call failed", err);
}

extern "C" bool dts_gpu_write(struct dts_gpu *gpu, void *to, const void *from, size_t bytes,
                              struct dts_error *err)
{
    return works(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, gpu->stream),
                 "copy to it", err);
}

extern "C" bool dts_gpu_read(struct dts_gpu *gpu, void *to, const void *from, size_t bytes,
                             struct dts_error *err)
{
    return works(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, gpu->stream),
                 "copy from it", err) &&
           dts_gpu_wait(gpu, err);
}

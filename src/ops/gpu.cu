/* gpu.cu -- streams, cuBLAS handles and memory of NVIDIA GPUs. */
#include <cstdio>
#include <cstdlib>

#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" {
#include "ops/gpu.h"
}

#define DTS_CUDA_CALL(call)                                                                    \
    do {                                                                                       \
        const cudaError_t result = (call);                                                     \
        if (result != cudaSuccess)                                                             \
            give_up(#call, cudaGetErrorString(result));                                        \
    } while (0)

[[noreturn]] static void give_up(const char *call, const char *why)
{
    fprintf(stderr, "dtsim: %s: %s\n", call, why);
    exit(1);
}

extern "C" int dts_gpu_count(void)
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0; // no driver: none
}

extern "C" bool dts_gpu_open(struct dts_place *place, int number, bool tf32,
                             struct dts_error *err)
{
    const int count = dts_gpu_count();
    cudaStream_t stream = NULL;
    cublasHandle_t blas = NULL;
    *place = {};
    if (number < 0 || number >= count)
        return dts_fail(err, DTS_SYSTEM, "cuda:%d: there are %d GPUs here", number, count);
    cudaError_t status = cudaSetDevice(number);
    if (status == cudaSuccess)
        status = cudaStreamCreate(&stream);
    if (status != cudaSuccess)
        return dts_fail(err, DTS_SYSTEM, "cuda:%d: %s", number, cudaGetErrorString(status));
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) {
        cudaStreamDestroy(stream);
        return dts_fail(err, DTS_SYSTEM, "cuda:%d: cuBLAS does not start", number);
    }
    cublasSetStream(blas, stream);
    cublasSetMathMode(blas, tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
    place->stream = stream;
    place->blas = blas;
    return true;
}

extern "C" void dts_gpu_close(struct dts_place *place)
{
    if (place->blas != NULL)
        cublasDestroy((cublasHandle_t)place->blas);
    if (place->stream != NULL)
        DTS_CUDA_CALL(cudaStreamDestroy((cudaStream_t)place->stream));
    *place = {};
}

extern "C" void *dts_gpu_alloc(size_t bytes)
{
    void *memory = NULL;
    const cudaError_t status = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
    if (status == cudaErrorMemoryAllocation)
        cudaGetLastError(); // or the next call would report it
    else
        DTS_CUDA_CALL(status);
    return status == cudaSuccess ? memory : NULL;
}

extern "C" void dts_gpu_free(void *memory)
{
    DTS_CUDA_CALL(cudaFree(memory));
}

extern "C" void dts_gpu_copy_in(void *device, const void *host, size_t bytes,
                                const struct dts_place *place)
{
    DTS_CUDA_CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
                                  (cudaStream_t)place->stream));
}

extern "C" void dts_gpu_copy_out(void *host, const void *device, size_t bytes,
                                 const struct dts_place *place)
{
    DTS_CUDA_CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost,
                                  (cudaStream_t)place->stream));
    dts_gpu_wait(place);
}

extern "C" void dts_gpu_wait(const struct dts_place *place)
{
    DTS_CUDA_CALL(cudaGetLastError()); // of kernels that could not start
    DTS_CUDA_CALL(cudaStreamSynchronize((cudaStream_t)place->stream));
}

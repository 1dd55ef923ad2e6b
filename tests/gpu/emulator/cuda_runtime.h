/* cuda_runtime.h -- the runtime's calls on the emulator (emulator.h): one device, whose memory
 * is this process's; everything is done when a call returns. */
#ifndef DTS_TESTS_GPU_CUDA_RUNTIME_H
#define DTS_TESTS_GPU_CUDA_RUNTIME_H

#include "emulator.h"

typedef void *cudaStream_t;
typedef void *cudaMemPool_t;
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum { cudaHostRegisterDefault };
enum { cudaMemPoolAttrReleaseThreshold };
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
enum cudaDeviceAttr {
    cudaDevAttrL2CacheSize,
    cudaDevAttrClockRate,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrComputeCapabilityMajor,
};
struct cudaDeviceProp {
    char name[256];
    struct {
        char bytes[16];
    } uuid;
};

extern cudaError_t emulated_error; // the last one

static inline cudaError_t emulated_result(bool good)
{
    if (!good)
        emulated_error = cudaErrorInvalidValue;
    return good ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaGetLastError()
{
    const cudaError_t error = emulated_error;
    emulated_error = cudaSuccess;
    return error;
}
static inline const char *cudaGetErrorString(cudaError_t)
{
    return "invalid value";
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int number)
{
    return emulated_result(number == 0);
}
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *device, int)
{
    *device = {"emulated", {""}};
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
    *value = which == cudaDevAttrComputeCapabilityMajor ? 9 : 1 << 16;
    return cudaSuccess;
}
static inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaMemGetInfo(size_t *spare, size_t *all)
{
    *spare = *all = (size_t)1 << 30;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = malloc(1);
    return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

/* Not numbers, until they are written. */
static inline cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (*memory != NULL)
        memset(*memory, 0xff, bytes);
    return emulated_result(*memory != NULL);
}
static inline cudaError_t cudaFree(void *memory)
{
    free(memory);
    return cudaSuccess;
}
static inline cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t)
{
    return cudaMalloc(memory, bytes);
}
static inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
    return cudaFree(memory);
}
static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int)
{
    *pool = NULL;
    return cudaSuccess;
}
static inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void *)
{
    return cudaSuccess;
}
static inline cudaError_t cudaHostRegister(void *, size_t, unsigned)
{
    return cudaSuccess;
}
static inline cudaError_t cudaHostUnregister(void *)
{
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          cudaMemcpyKind, cudaStream_t)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t)
{
    memset(memory, byte, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                            size_t from_pitch, size_t width, size_t height,
                                            cudaMemcpyKind, cudaStream_t)
{
    const bool good = width <= to_pitch && width <= from_pitch;
    for (size_t i = 0; good && i < height; i++)
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
    return emulated_result(good);
}
static inline cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int byte, size_t width,
                                            size_t height, cudaStream_t)
{
    for (size_t i = 0; width <= pitch && i < height; i++)
        memset((char *)memory + i * pitch, byte, width);
    return emulated_result(width <= pitch);
}

#endif

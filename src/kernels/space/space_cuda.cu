/* space_cuda.cu -- the memory of an NVIDIA GPU (gpu.h). The host's memory that meets it is
 * pinned, and each queue is a stream of its own, so that copies run beside kernels. The runtime
 * has a device for each thread: what any thread may call says which first.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/space/blas.cuh"
#include "kernels/space/device.cuh"

extern "C" {
#include "base/mem.h"
#include "kernels/space/gpu.h"
#include "kernels/space/space.h"
}

struct device {
    int number;
    struct dts_gpu *gpu;  // owned
    cudaStream_t *queues; // owned; the first is that of the place
    int queue_count;
};

static bool works(cudaError_t error, const char *what, struct dts_error *err)
{
    return error == cudaSuccess ||
           dts_fail(err, DTS_SYSTEM, "GPU: %s: %s", what, cudaGetErrorString(error));
}

static const struct device *bound(void *self)
{
    const struct device *d = (const struct device *)self;
    cudaSetDevice(d->number);
    return d;
}

static int count(const char **why)
{
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    *why =
        error == cudaSuccess ? "no CUDA-capable device is detected" : cudaGetErrorString(error);
    return error == cudaSuccess ? devices : 0;
}

static void identity(int number, char id[DTS_SPACE_IDENTITY])
{
    cudaDeviceProp device;
    memset(id, 0, DTS_SPACE_IDENTITY);
    if (cudaGetDeviceProperties(&device, number) == cudaSuccess)
        memcpy(id, device.uuid.bytes, DTS_SPACE_IDENTITY);
}

static void close(void *self)
{
    struct device *d = (struct device *)self;
    bound(d);
    for (int q = 1; q < d->queue_count; q++)
        cudaStreamDestroy(d->queues[q]);
    dts_gpu_close(d->gpu);
    free(d->queues);
    free(d);
}

static bool make_queues(struct device *d, int wanted, struct dts_error *err)
{
    d->queues = (cudaStream_t *)dts_alloc((size_t)wanted, sizeof(*d->queues));
    d->queues[0] = (cudaStream_t)dts_gpu_place(d->gpu)->stream;
    for (d->queue_count = 1; d->queue_count < wanted; d->queue_count++)
        if (!works(cudaStreamCreate(&d->queues[d->queue_count]), "no stream", err))
            return false;
    return true;
}

static bool set_mode(const struct device *d, bool tf32, struct dts_error *err)
{
    const cublasHandle_t blas = (cublasHandle_t)dts_gpu_place(d->gpu)->blas;
    return !tf32 ||
           dts_blas.SetMathMode(blas, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS ||
           dts_fail(err, DTS_SYSTEM, "GPU: cuBLAS has no tf32");
}

static bool open(const struct dts_space_request *request, void **self, struct dts_place *place,
                 struct dts_error *err)
{
    struct device *d = (struct device *)dts_alloc(1, sizeof(*d));
    d->number = request->number;
    if (!dts_gpu_open(&d->gpu, d->number, err)) {
        free(d);
        return false;
    }
    if (!make_queues(d, request->queues, err) || !set_mode(d, request->tf32, err)) {
        close(d);
        return false;
    }
    *place = *dts_gpu_place(d->gpu);
    *self = d;
    return true;
}

static bool clear(void *self, void *there, size_t bytes, struct dts_error *err)
{
    return works(cudaMemsetAsync(there, 0, bytes, bound(self)->queues[0]),
                 "memory cannot be cleared", err);
}

static bool wait(void *self, int queue, struct dts_error *err)
{
    const struct device *d = bound(self);
    return queue == 0 ? dts_gpu_wait(d->gpu, err)
                      : works(cudaStreamSynchronize(d->queues[queue]), "a call failed", err);
}

/* Its handle of cuBLAS, on the first queue, says that it is a GPU, and is not to be used. */
static struct dts_place place_of(void *self, int queue)
{
    const struct device *d = (const struct device *)self;
    struct dts_place place = *dts_gpu_place(d->gpu);
    place.stream = d->queues[queue];
    return place;
}

/* MPI asks the device that the thread is bound to. */
static void lend(void *self)
{
    bound(self);
}

/* What MPI tried in vain (whether memory of the host is a device's) is no failure of ours. */
static void take_back(void *self)
{
    (void)self;
    cudaGetLastError();
}

static bool get(void *self, size_t bytes, void **there, struct dts_error *err)
{
    bound(self);
    *there = NULL;
    return dts_gpu_alloc(there, bytes, err) && clear(self, *there, bytes, err) &&
           wait(self, 0, err);
}

static void give_back(void *self, void *there)
{
    bound(self);
    dts_gpu_free(there);
}

static bool pin(void *self, void *here, size_t bytes, struct dts_error *err)
{
    bound(self);
    return works(cudaHostRegister(here, bytes, cudaHostRegisterDefault),
                 "memory of the host cannot be pinned", err);
}

static void unpin(void *self, void *here)
{
    bound(self);
    cudaHostUnregister(here);
}

static bool copy(void *self, int queue, void *to, const void *from, size_t bytes,
                 cudaMemcpyKind kind, struct dts_error *err)
{
    const cudaStream_t stream = bound(self)->queues[queue];
    return works(cudaMemcpyAsync(to, from, bytes, kind, stream), "a copy", err) &&
           works(cudaStreamSynchronize(stream), "a copy", err);
}

static bool copy_in(void *self, int queue, void *there, const void *here, size_t bytes,
                    struct dts_error *err)
{
    return copy(self, queue, there, here, bytes, cudaMemcpyHostToDevice, err);
}

static bool copy_out(void *self, int queue, void *here, const void *there, size_t bytes,
                     struct dts_error *err)
{
    return copy(self, queue, here, there, bytes, cudaMemcpyDeviceToHost, err);
}

static void enter(void *self)
{
    bound(self);
}

static bool leave(void *self, struct dts_error *err)
{
    (void)self;
    return works(cudaGetLastError(), "a call did not start", err) && dts_blas_works(err);
}

static int attribute(const struct device *d, cudaDeviceAttr which)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, d->number) == cudaSuccess ? value : 0;
}

/* The runtime says versions as 1000 major + 10 minor, cuBLAS as 10000 major + 100 minor. */
static void facts(void *self, struct dts_space_facts *facts)
{
    const struct device *d = bound(self);
    cudaDeviceProp device;
    int driver = 0, runtime = 0, blas = 0;
    size_t spare = 0, all = 0;
    if (cudaGetDeviceProperties(&device, d->number) == cudaSuccess)
        snprintf(facts->name, sizeof(facts->name), "%s", device.name);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    dts_blas.GetVersion((cublasHandle_t)dts_gpu_place(d->gpu)->blas, &blas);
    snprintf(facts->library, sizeof(facts->library),
             "CUDA %d.%d, driver for %d.%d, cuBLAS %d.%d.%d", runtime / 1000,
             runtime % 1000 / 10, driver / 1000, driver % 1000 / 10, blas / 10000,
             blas % 10000 / 100, blas % 100);
    cudaMemGetInfo(&spare, &all);
    facts->memory_bytes = (double)all;
    facts->spare_bytes = (double)spare;
    facts->cache_bytes = attribute(d, cudaDevAttrL2CacheSize);
    facts->clock_hz = 1e3 * attribute(d, cudaDevAttrClockRate);
    facts->memory_clock_hz = 1e3 * attribute(d, cudaDevAttrMemoryClockRate);
}

/* A cache moves sectors of 32 bytes: a word of each. */
static void touch(void *self, void *there, size_t bytes)
{
    const size_t apart = 32 / sizeof(int);
    volatile int *words = (volatile int *)there;
    dts_for_each((bytes / sizeof(int) + apart - 1) / apart, dts_gpu_place(bound(self)->gpu),
                 [=] __device__(size_t i) { words[i * apart] = words[i * apart]; });
}

/* Tensor cores take tf32 from compute capability 8 on. */
static bool multiply(void *self, enum dts_precision precision, size_t side, const void *a,
                     const void *b, void *c)
{
    static const struct {
        enum dts_precision precision;
        cudaDataType type;
        cublasComputeType_t compute;
        int least; // compute capability
    } ways[] = {
        {DTS_FP32, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0},
        {DTS_TF32, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 8},
        {DTS_FP16, CUDA_R_16F, CUBLAS_COMPUTE_32F, 0},
        {DTS_BF16, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 0},
        {DTS_FP64, CUDA_R_64F, CUBLAS_COMPUTE_64F, 0},
    };
    const struct device *d = bound(self);
    const cublasHandle_t blas = (cublasHandle_t)dts_gpu_place(d->gpu)->blas;
    const float one = 1, none = 0;
    const double one64 = 1, none64 = 0;
    const bool wide = precision == DTS_FP64; // factors are what is summed in
    const void *alpha = wide ? (const void *)&one64 : &one;
    const void *beta = wide ? (const void *)&none64 : &none;
    const int n = (int)side;
    const int has = attribute(d, cudaDevAttrComputeCapabilityMajor);
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    bool done = false;
    dts_blas.GetMathMode(blas, &mode);
    dts_blas.SetMathMode(blas, CUBLAS_DEFAULT_MATH); // fp32 is not to be tf32
    for (const auto &way : ways)
        if (way.precision == precision && has >= way.least)
            done = dts_blas.GemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, a, way.type,
                                   n, b, way.type, n, beta, c, way.type, n, way.compute,
                                   CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
    dts_blas.SetMathMode(blas, mode);
    return done;
}

extern "C" const struct dts_space_kind dts_space_cuda = {
    "cuda",
    "an NVIDIA GPU for each rank",
    true, // apart
    true, // tf32
    count,
    identity,
    open,
    close,
    get,
    give_back,
    clear,
    facts,
    touch,
    NULL, // a pace: nobody else is on it
    NULL, // nor does it fall asleep while the host waits
    dts_roofline_there,
    pin,
    unpin,
    copy_in,
    copy_out,
    enter,
    leave,
    wait,
    place_of,
    lend,
    take_back,
    multiply,
};

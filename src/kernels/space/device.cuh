/* device.cuh -- what the GPU versions share: loops over values, over planes of pixels, and sums
 * over a block. All queue on the stream of the place and wait for nothing. Sums are in an order
 * that the sizes alone decide; no atomics.
 */
#ifndef DTS_KERNELS_SPACE_DEVICE_CUH
#define DTS_KERNELS_SPACE_DEVICE_CUH

#include <cuda_runtime.h>

extern "C" {
#include "kernels/op.h"
}

enum { DTS_WARP = 32, DTS_THREADS = 256 };

static inline cudaStream_t dts_stream(const struct dts_place *place)
{
    return (cudaStream_t)place->stream;
}

/* All values of the output. */
static inline size_t dts_values(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->output);
}

/* Threads of a block for `count` things: whole warps, at most DTS_THREADS. */
static inline unsigned dts_threads_for(size_t count)
{
    const size_t warps = (count + DTS_WARP - 1) / DTS_WARP * DTS_WARP;
    return (unsigned)(warps < DTS_THREADS ? warps : DTS_THREADS);
}

template <typename Function> __global__ void dts_each(size_t count, Function function)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        function(i);
}

/* function(i) for i < count, neighbours side by side. */
template <typename Function>
static void dts_for_each(size_t count, const struct dts_place *place, Function function)
{
    const size_t most = 1 << 16; // blocks; beyond, a thread takes several values
    const size_t blocks = (count + DTS_THREADS - 1) / DTS_THREADS;
    if (count > 0)
        dts_each<<<(unsigned)(blocks < most ? blocks : most), DTS_THREADS, 0,
                   dts_stream(place)>>>(count, function);
}

enum { DTS_PLANE_PIECE = 2048 }; // pixels that a block takes of a plane

template <typename Function>
__global__ void dts_each_pixel(size_t pixels, unsigned pieces, Function function)
{
    const size_t plane = blockIdx.x / pieces;
    const size_t first = (size_t)(blockIdx.x % pieces) * DTS_PLANE_PIECE;
    const size_t end = first + DTS_PLANE_PIECE < pixels ? first + DTS_PLANE_PIECE : pixels;
    for (size_t p = first + threadIdx.x; p < end; p += blockDim.x)
        function(plane, p);
}

/* function(plane, pixel): without a division for each. */
template <typename Function>
static void dts_for_each_pixel(size_t planes, size_t pixels, const struct dts_place *place,
                               Function function)
{
    const size_t pieces = (pixels + DTS_PLANE_PIECE - 1) / DTS_PLANE_PIECE;
    if (planes * pieces > 0)
        dts_each_pixel<<<(unsigned)(planes * pieces), dts_threads_for(pixels), 0,
                         dts_stream(place)>>>(pixels, (unsigned)pieces, function);
}

/* The largest value of a block of whole warps; all its threads call it and get it. */
static __device__ inline float dts_largest_of_block(float value)
{
    __shared__ float most[DTS_WARP];
    for (int distance = DTS_WARP / 2; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
    if (threadIdx.x % DTS_WARP == 0)
        most[threadIdx.x / DTS_WARP] = value;
    __syncthreads();
    value = most[0];
    for (unsigned i = 1; i < blockDim.x / DTS_WARP; i++)
        value = fmaxf(value, most[i]);
    return value;
}

template <typename Number> static __device__ inline Number dts_sum_over_warp(Number value)
{
    for (int distance = DTS_WARP / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffff, value, distance);
    return value;
}

/* The sum over a block of whole warps; every thread gets it. */
template <typename Number> static __device__ inline Number dts_sum_over_block(Number value)
{
    __shared__ Number sums[DTS_WARP];
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    const unsigned warps = blockDim.x * blockDim.y / DTS_WARP;
    value = dts_sum_over_warp(value);
    __syncthreads(); // sums of an earlier call have been read
    if (thread % DTS_WARP == 0)
        sums[thread / DTS_WARP] = value;
    __syncthreads();
    value = 0;
    for (unsigned i = 0; i < warps; i++)
        value += sums[i];
    return value;
}

#endif

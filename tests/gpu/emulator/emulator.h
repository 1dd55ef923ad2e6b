/* emulator.h -- as much of CUDA C++ as src/kernels uses, on a CPU: threads of a block run in
 * turns, and change at barriers and shuffles alone, each time in another order. It finds wrong
 * numbers, threads that miss a barrier or a shuffle, launches beyond a GPU's limits and some
 * races. It says nothing of speed, memory that is no device's, or cuBLAS, whose products are
 * plain loops (blas.cpp). translate.py makes of a launch `f<<<grid, block, 0, stream>>>(x)` a
 * call of emulated_launch(). */
#ifndef DTS_TESTS_GPU_EMULATOR_H
#define DTS_TESTS_GPU_EMULATOR_H

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

using std::isfinite;

#define __global__
#define __device__
#define __host__
#define __shared__ static // blocks run one after another

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct float2 {
    float x, y;
};
struct double2 {
    double x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

static inline float2 make_float2(float x, float y)
{
    return {x, y};
}
static inline double2 make_double2(double x, double y)
{
    return {x, y};
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

/* The block, or the warp, is there when these return. */
void __syncthreads();
int __syncthreads_or(int value);
unsigned __ballot_sync(unsigned mask, int value);
const void *emulated_shuffle(unsigned mask, const void *value, size_t bytes, unsigned lane);

static inline unsigned emulated_lane()
{
    return (threadIdx.y * blockDim.x + threadIdx.x) % 32;
}

template <typename Value>
static inline Value __shfl_xor_sync(unsigned mask, Value value, unsigned distance)
{
    Value theirs;
    const unsigned lane = emulated_lane() ^ distance;
    memcpy(&theirs, emulated_shuffle(mask, &value, sizeof(value), lane), sizeof(value));
    return theirs;
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}
template <typename A, typename B> static inline auto min(A a, B b) -> decltype(a + b)
{
    return a < b ? a : b;
}
template <typename A, typename B> static inline auto max(A a, B b) -> decltype(a + b)
{
    return a > b ? a : b;
}
static inline unsigned atomicAdd(unsigned *sum, unsigned value)
{
    const unsigned before = *sum;
    *sum += value;
    return before;
}

void emulated_run(dim3 grid, dim3 block, const std::function<void()> &thread);

template <typename Kernel> struct emulated_kernel {
    dim3 grid, block;
    Kernel kernel;
    template <typename... Values> void operator()(Values... values)
    {
        emulated_run(grid, block, [&] { kernel(values...); });
    }
};
template <typename Kernel>
emulated_kernel<Kernel> emulated_launch(dim3 grid, dim3 block, size_t, void *, Kernel kernel)
{
    return {grid, block, kernel};
}

#endif

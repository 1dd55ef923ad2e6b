/* cuda_fp16.h -- fp16 on the emulator (emulator.h), to the nearest, ties to even;
 * of what is not a number one kind, as on a GPU. */
#ifndef DTS_TESTS_GPU_CUDA_FP16_H
#define DTS_TESTS_GPU_CUDA_FP16_H

#include "emulator.h"

extern "C" {
#include "kernels/call/half.h"
}

struct __half {
    uint16_t bits;
};

static inline __half __ushort_as_half(uint16_t bits)
{
    return {bits};
}
static inline uint16_t __half_as_ushort(__half x)
{
    return x.bits;
}
static inline float __half2float(__half x)
{
    return dts_from_fp16(x.bits);
}
static inline __half __float2half_rn(float x)
{
    return {std::isnan(x) ? (uint16_t)0x7fff : dts_to_fp16(x)};
}

#endif

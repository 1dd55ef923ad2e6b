/* cuda_bf16.h -- bf16 on the emulator (emulator.h): to the nearest, ties to even;
 * of what is not a number one kind, as on a GPU. */
#ifndef DTS_TESTS_GPU_CUDA_BF16_H
#define DTS_TESTS_GPU_CUDA_BF16_H

#include "emulator.h"

extern "C" {
#include "kernels/call/half.h"
}

struct __nv_bfloat16 {
    uint16_t bits;
};

static inline __nv_bfloat16 __ushort_as_bfloat16(uint16_t bits)
{
    return {bits};
}
static inline uint16_t __bfloat16_as_ushort(__nv_bfloat16 x)
{
    return x.bits;
}
static inline float __bfloat162float(__nv_bfloat16 x)
{
    return dts_from_bf16(x.bits);
}
static inline __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return {std::isnan(x) ? (uint16_t)0x7fff : dts_to_bf16(x)};
}

#endif

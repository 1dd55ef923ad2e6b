/* dropout.cuh -- the random bits of a sample on a GPU. */
#ifndef DTS_KERNELS_DROPOUT_DROPOUT_CUH
#define DTS_KERNELS_DROPOUT_DROPOUT_CUH

#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/dropout/dropout.h"
}

/* As base/philox.h. */
static __device__ uint4 philox(uint4 x, uint32_t low, uint32_t high)
{
    for (int round = 0; round < 10; round++) {
        const uint32_t p0 = 0xD2511F53 * x.x, p1 = 0xCD9E8D57 * x.z;
        const uint32_t q0 = __umulhi(0xD2511F53, x.x), q1 = __umulhi(0xCD9E8D57, x.z);
        x = make_uint4(q1 ^ x.y ^ low, p1, q0 ^ x.w ^ high, p0);
        low += 0x9E3779B9;
        high += 0xBB67AE85;
    }
    return x;
}

/* What a sample draws from. */
struct draw {
    uint64_t seed, step, first_sample;
    uint32_t threshold;
};

static __device__ uint4 bits_of(const struct draw &draw, size_t sample, size_t block)
{
    const uint64_t number = draw.first_sample + sample;
    return philox(make_uint4((uint32_t)block, (uint32_t)draw.step, (uint32_t)number,
                             (uint32_t)(number >> 32)),
                  (uint32_t)draw.seed, (uint32_t)(draw.seed >> 32));
}

#endif

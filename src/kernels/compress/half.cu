/* half.cu -- the GPU version of half.c, which says what is computed. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/compress/half.h"
}

extern "C" void dts_compress_bf16_cuda(float *x, size_t count, double, void *message, void *,
                                       const struct dts_place *place)
{
    uint16_t *out = (uint16_t *)message;
    dts_for_each(count, place, [=] __device__(size_t i) {
        const __nv_bfloat16 sent = __float2bfloat16_rn(x[i]);
        out[i] = __bfloat16_as_ushort(sent);
        x[i] -= __bfloat162float(sent);
    });
}

extern "C" void dts_compress_fp16_cuda(float *x, size_t count, double, void *message, void *,
                                       const struct dts_place *place)
{
    uint16_t *out = (uint16_t *)message;
    dts_for_each(count, place, [=] __device__(size_t i) {
        const float value = x[i], most = DTS_FP16_MOST; // comparisons: a NaN stays one
        const float below = value > most ? most : value;
        const __half sent = __float2half_rn(below < -most ? -most : below);
        out[i] = __half_as_ushort(sent);
        x[i] = value - __half2float(sent);
    });
}

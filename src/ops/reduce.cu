/* reduce.cu -- the GPU versions of reduce.c, which says what is computed. A cast is the
 * processor's own: to the nearest, ties to even. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "ops/device.cuh"

extern "C" {
#include "ops/reduce.h"
}

static struct dts_place place_of(void *stream)
{
    struct dts_place place = {};
    place.stream = stream;
    return place;
}

static __device__ float widened(bool bf16, uint16_t x)
{
    return bf16 ? __bfloat162float(__ushort_as_bfloat16(x)) : __half2float(__ushort_as_half(x));
}

static __device__ uint16_t narrowed(bool bf16, float x)
{
    return bf16 ? __bfloat16_as_ushort(__float2bfloat16_rn(x))
                : __half_as_ushort(__float2half_rn(x));
}

extern "C" void dts_reduce_add_cuda(float *sum, const float *more, size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    dts_for_each(count, &place, [=] __device__(size_t i) { sum[i] += more[i]; });
}

extern "C" void dts_reduce_add_doubles_cuda(double *sum, const double *more, size_t count,
                                            void *stream)
{
    const struct dts_place place = place_of(stream);
    dts_for_each(count, &place, [=] __device__(size_t i) { sum[i] += more[i]; });
}

extern "C" void dts_reduce_scale_cuda(float *x, float factor, size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    dts_for_each(count, &place, [=] __device__(size_t i) { x[i] *= factor; });
}

extern "C" void dts_reduce_finite_cuda(int *finite, const float *x, size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    dts_for_each(1, &place, [=] __device__(size_t) { *finite = 1; });
    dts_for_each(count, &place, [=] __device__(size_t i) {
        if (!isfinite(x[i]))
            *finite = 0; // whoever writes writes the same
    });
}

extern "C" void dts_reduce_narrow_cuda(enum dts_half half, uint16_t *out, const float *x,
                                       size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    const bool bf16 = half == DTS_HALF_BF16;
    dts_for_each(count, &place, [=] __device__(size_t i) { out[i] = narrowed(bf16, x[i]); });
}

extern "C" void dts_reduce_widen_cuda(enum dts_half half, float *out, const uint16_t *x,
                                      size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    const bool bf16 = half == DTS_HALF_BF16;
    dts_for_each(count, &place, [=] __device__(size_t i) { out[i] = widened(bf16, x[i]); });
}

extern "C" void dts_reduce_round_cuda(enum dts_half half, float *out, const float *x,
                                      size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    const bool bf16 = half == DTS_HALF_BF16;
    dts_for_each(count, &place,
                 [=] __device__(size_t i) { out[i] = widened(bf16, narrowed(bf16, x[i])); });
}

extern "C" void dts_reduce_add_widened_cuda(enum dts_half half, float *sum,
                                            const uint16_t *more, size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    const bool bf16 = half == DTS_HALF_BF16;
    dts_for_each(count, &place, [=] __device__(size_t i) { sum[i] += widened(bf16, more[i]); });
}

extern "C" void dts_reduce_add_half_cuda(enum dts_half half, uint16_t *sum,
                                         const uint16_t *more, size_t count, void *stream)
{
    const struct dts_place place = place_of(stream);
    const bool bf16 = half == DTS_HALF_BF16;
    dts_for_each(count, &place, [=] __device__(size_t i) {
        sum[i] = narrowed(bf16, widened(bf16, sum[i]) + widened(bf16, more[i]));
    });
}

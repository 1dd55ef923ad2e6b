/* reduce.cu -- the GPU versions of reductions; <name>.c says what is computed. A cast is
 * the processor's own: to the nearest, ties to even. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/reduce/reduce.h"
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

extern "C" void dts_reduce_add_cuda(const struct dts_reduce_arrays *a,
                                    const struct dts_place *place)
{
    float *sum = (float *)a->out;
    const float *more = (const float *)a->x;
    dts_for_each(a->count, place, [=] __device__(size_t i) { sum[i] += more[i]; });
}

extern "C" void dts_reduce_add_doubles_cuda(const struct dts_reduce_arrays *a,
                                            const struct dts_place *place)
{
    double *sum = (double *)a->out;
    const double *more = (const double *)a->x;
    dts_for_each(a->count, place, [=] __device__(size_t i) { sum[i] += more[i]; });
}

extern "C" void dts_reduce_scale_cuda(const struct dts_reduce_arrays *a,
                                      const struct dts_place *place)
{
    float *x = (float *)a->out;
    const float factor = a->factor;
    dts_for_each(a->count, place, [=] __device__(size_t i) { x[i] *= factor; });
}

extern "C" void dts_reduce_finite_cuda(const struct dts_reduce_arrays *a,
                                       const struct dts_place *place)
{
    int *finite = (int *)a->out;
    const float *x = (const float *)a->x;
    dts_for_each(1, place, [=] __device__(size_t) { *finite = 1; });
    dts_for_each(a->count, place, [=] __device__(size_t i) {
        if (!isfinite(x[i]))
            *finite = 0; // whoever writes writes the same
    });
}

extern "C" void dts_reduce_narrow_cuda(const struct dts_reduce_arrays *a,
                                       const struct dts_place *place)
{
    uint16_t *out = (uint16_t *)a->out;
    const float *x = (const float *)a->x;
    const bool bf16 = a->half == DTS_HALF_BF16;
    dts_for_each(a->count, place, [=] __device__(size_t i) { out[i] = narrowed(bf16, x[i]); });
}

extern "C" void dts_reduce_widen_cuda(const struct dts_reduce_arrays *a,
                                      const struct dts_place *place)
{
    float *out = (float *)a->out;
    const uint16_t *x = (const uint16_t *)a->x;
    const bool bf16 = a->half == DTS_HALF_BF16;
    dts_for_each(a->count, place, [=] __device__(size_t i) { out[i] = widened(bf16, x[i]); });
}

extern "C" void dts_reduce_round_cuda(const struct dts_reduce_arrays *a,
                                      const struct dts_place *place)
{
    float *out = (float *)a->out;
    const float *x = (const float *)a->x;
    const bool bf16 = a->half == DTS_HALF_BF16;
    dts_for_each(a->count, place,
                 [=] __device__(size_t i) { out[i] = widened(bf16, narrowed(bf16, x[i])); });
}

extern "C" void dts_reduce_add_widened_cuda(const struct dts_reduce_arrays *a,
                                            const struct dts_place *place)
{
    float *sum = (float *)a->out;
    const uint16_t *more = (const uint16_t *)a->x;
    const bool bf16 = a->half == DTS_HALF_BF16;
    dts_for_each(a->count, place,
                 [=] __device__(size_t i) { sum[i] += widened(bf16, more[i]); });
}

extern "C" void dts_reduce_add_half_cuda(const struct dts_reduce_arrays *a,
                                         const struct dts_place *place)
{
    uint16_t *sum = (uint16_t *)a->out;
    const uint16_t *more = (const uint16_t *)a->x;
    const bool bf16 = a->half == DTS_HALF_BF16;
    dts_for_each(a->count, place, [=] __device__(size_t i) {
        sum[i] = narrowed(bf16, widened(bf16, sum[i]) + widened(bf16, more[i]));
    });
}

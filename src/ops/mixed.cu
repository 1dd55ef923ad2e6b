/* mixed.cu -- what mixed.c does with arrays, on a GPU. */
#include "ops/device.cuh"

extern "C" {
#include "ops/mixed.h"
#include "ops/reduce.h"
}

static void widen(enum dts_half half, float *out, const uint16_t *x, size_t count,
                  const struct dts_place *place)
{
    dts_reduce_widen_cuda(half, out, x, count, place->stream);
}

static void narrow(enum dts_half half, uint16_t *out, const float *x, size_t count,
                   const struct dts_place *place)
{
    dts_reduce_narrow_cuda(half, out, x, count, place->stream);
}

static void round_values(enum dts_half half, float *out, const float *x, size_t count,
                         const struct dts_place *place)
{
    dts_reduce_round_cuda(half, out, x, count, place->stream);
}

static void scale(float *x, float factor, size_t count, const struct dts_place *place)
{
    dts_reduce_scale_cuda(x, factor, count, place->stream);
}

extern "C" const struct dts_mixed_casts dts_mixed_casts_cuda = {widen, narrow, round_values,
                                                                scale};

/* place.cu -- a GPU's side of a place. */
#include "ops/device.cuh"

extern "C" {
#include "ops/place.h"
#include "ops/reduce.h"
}

static void add(float *sum, const float *more, size_t count, const struct dts_place *place)
{
    dts_reduce_add_cuda(sum, more, count, place->stream);
}

static void add_half(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                     const struct dts_place *place)
{
    dts_reduce_add_half_cuda(half, sum, more, count, place->stream);
}

static void add_widened(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                        const struct dts_place *place)
{
    dts_reduce_add_widened_cuda(half, sum, more, count, place->stream);
}

static void add_doubles(double *sum, const double *more, size_t count,
                        const struct dts_place *place)
{
    dts_reduce_add_doubles_cuda(sum, more, count, place->stream);
}

/* What does not start is found by the next cudaGetLastError(), as of a kernel. */
static void copy(void *to, const void *from, size_t bytes, const struct dts_place *place)
{
    (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, dts_stream(place));
}

static void scale(float *x, float factor, size_t count, const struct dts_place *place)
{
    dts_reduce_scale_cuda(x, factor, count, place->stream);
}

static void find_finite(int *finite, const float *x, size_t count,
                        const struct dts_place *place)
{
    dts_reduce_finite_cuda(finite, x, count, place->stream);
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

const struct dts_place_values dts_place_values_cuda = {
    add,   add_half,    add_widened, add_doubles, copy,
    scale, find_finite, widen,       narrow,      round_values};

/* place.c -- the host's side of a place. A GPU's is in place.cu. */
#include "ops/place.h"

#include <string.h>

#include "ops/reduce.h"

bool dts_place_is_gpu(const struct dts_place *place)
{
    return place->blas != NULL;
}

const struct dts_op_version *dts_place_version(const struct dts_place *place,
                                               const struct dts_operation *op)
{
    return dts_place_is_gpu(place) ? &op->cuda : &op->host;
}

dts_update_fn *dts_place_update(const struct dts_place *place, const struct dts_update *update)
{
    return dts_place_is_gpu(place) ? update->cuda : update->host;
}

static void add(float *sum, const float *more, size_t count, const struct dts_place *place)
{
    dts_reduce_add(sum, more, count, place->workers);
}

static void add_half(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                     const struct dts_place *place)
{
    dts_reduce_add_half(half, sum, more, count, place->workers);
}

static void add_widened(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                        const struct dts_place *place)
{
    dts_reduce_add_widened(half, sum, more, count, place->workers);
}

static void add_doubles(double *sum, const double *more, size_t count,
                        const struct dts_place *place)
{
    dts_reduce_add_doubles(sum, more, count, place->workers);
}

static void copy(void *to, const void *from, size_t bytes, const struct dts_place *place)
{
    (void)place;
    memcpy(to, from, bytes);
}

static void scale(float *x, float factor, size_t count, const struct dts_place *place)
{
    dts_reduce_scale(x, factor, count, place->workers);
}

static void find_finite(int *finite, const float *x, size_t count,
                        const struct dts_place *place)
{
    *finite = dts_reduce_finite(x, count, place->workers);
}

static void widen(enum dts_half half, float *out, const uint16_t *x, size_t count,
                  const struct dts_place *place)
{
    dts_reduce_widen(half, out, x, count, place->workers);
}

static void narrow(enum dts_half half, uint16_t *out, const float *x, size_t count,
                   const struct dts_place *place)
{
    dts_reduce_narrow(half, out, x, count, place->workers);
}

static void round_values(enum dts_half half, float *out, const float *x, size_t count,
                         const struct dts_place *place)
{
    dts_reduce_round(half, out, x, count, place->workers);
}

static const struct dts_place_values host = {add,    add_half,    add_widened, add_doubles,
                                             copy,   scale,       find_finite, widen,
                                             narrow, round_values};

const struct dts_place_values *dts_place_values(const struct dts_place *place)
{
    const struct dts_place_values *gpu = DTS_CUDA_FUNCTION(&dts_place_values_cuda);
    return dts_place_is_gpu(place) ? gpu : &host;
}

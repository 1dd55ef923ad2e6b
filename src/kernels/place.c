/* place.c -- which versions a place takes, and copies there. */
#include "kernels/place.h"

#include <string.h>

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

dts_reduce_fn *dts_place_reduction(const struct dts_place *place,
                                   const struct dts_reduction *reduction)
{
    return dts_place_is_gpu(place) ? reduction->cuda : reduction->host;
}

typedef void copy_fn(void *to, const void *from, size_t bytes, const struct dts_place *place);
copy_fn dts_place_copy_cuda; // place.cu

static void copy(void *to, const void *from, size_t bytes, const struct dts_place *place)
{
    (void)place;
    memcpy(to, from, bytes);
}

void dts_place_copy(void *to, const void *from, size_t bytes, const struct dts_place *place)
{
    copy_fn *there = DTS_CUDA_FUNCTION(dts_place_copy_cuda);
    (dts_place_is_gpu(place) ? there : copy)(to, from, bytes, place);
}

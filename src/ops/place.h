/* place.h -- who computes on a place (op.h): the host's versions, or a GPU's.
 */
#ifndef DTS_OPS_PLACE_H
#define DTS_OPS_PLACE_H

#include "kernels/half.h"
#include "ops/op.h"
#include "ops/update.h"

bool dts_place_is_gpu(const struct dts_place *place);

/* Its functions are NULL where the operation has no such version; so is the rule's. */
const struct dts_op_version *dts_place_version(const struct dts_place *place,
                                               const struct dts_operation *op);
dts_update_fn *dts_place_update(const struct dts_place *place, const struct dts_update *update);

/* What is done between calls (reduce.h) on arrays of the place; on a GPU it is queued there. */
struct dts_place_values {
    /* sum += more, in float and in 16 bits */
    void (*add)(float *sum, const float *more, size_t count, const struct dts_place *place);
    void (*add_half)(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                     const struct dts_place *place);
    /* sum += more in float, where more has 16 bits; and in double */
    void (*add_widened)(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                        const struct dts_place *place);
    void (*add_doubles)(double *sum, const double *more, size_t count,
                        const struct dts_place *place);
    void (*copy)(void *to, const void *from, size_t bytes, const struct dts_place *place);
    void (*scale)(float *x, float factor, size_t count, const struct dts_place *place);
    /* *finite, an array of the place, becomes 1 or 0 */
    void (*finite)(int *finite, const float *x, size_t count, const struct dts_place *place);
    void (*widen)(enum dts_half half, float *out, const uint16_t *x, size_t count,
                  const struct dts_place *place);
    void (*narrow)(enum dts_half half, uint16_t *out, const float *x, size_t count,
                   const struct dts_place *place);
    void (*round)(enum dts_half half, float *out, const float *x, size_t count,
                  const struct dts_place *place);
};

const struct dts_place_values *dts_place_values(const struct dts_place *place);

extern const struct dts_place_values dts_place_values_cuda; // only in a build with CUDA

#endif

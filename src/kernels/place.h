/* place.h -- who computes on a place (op.h): the host's versions, or a GPU's.
 */
#ifndef DTS_KERNELS_PLACE_H
#define DTS_KERNELS_PLACE_H

#include "kernels/op.h"
#include "kernels/reduce/reduce.h"
#include "kernels/update/update.h"

bool dts_place_is_gpu(const struct dts_place *place);

/* NULL, of an operation its functions, where there is no such version. */
const struct dts_op_version *dts_place_version(const struct dts_place *place,
                                               const struct dts_operation *op);
dts_update_fn *dts_place_update(const struct dts_place *place, const struct dts_update *update);
dts_reduce_fn *dts_place_reduction(const struct dts_place *place,
                                   const struct dts_reduction *reduction);

/* Between arrays of the place; on a GPU it is queued there, as what reduce.h does. */
void dts_place_copy(void *to, const void *from, size_t bytes, const struct dts_place *place);

#endif

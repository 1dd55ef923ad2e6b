/* update_host.h -- what the updates on a CPU share: workers that take blocks of a tensor. */
#ifndef DTS_OPS_UPDATE_HOST_H
#define DTS_OPS_UPDATE_HOST_H

#include "ops/update.h"

/* Update values begin .. end - 1; factors are the rule's own, ready for all values. */
typedef void dts_update_part(const struct dts_update_settings *settings,
                             const struct dts_update_arrays *arrays, const double *factors,
                             size_t begin, size_t end);

void dts_update_each(dts_update_part *part, const struct dts_update_settings *settings,
                     const struct dts_update_arrays *arrays, const double *factors,
                     struct dts_workers *workers);

#endif

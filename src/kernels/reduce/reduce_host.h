/* reduce_host.h -- what the files of reductions share. */
#ifndef DTS_KERNELS_REDUCE_REDUCE_HOST_H
#define DTS_KERNELS_REDUCE_REDUCE_HOST_H

#include "kernels/reduce/reduce.h"

/* By the version of the place. */
void dts_reduce_run(const struct dts_reduction *reduction,
                    const struct dts_reduce_arrays *arrays, const struct dts_place *place);

/* Values begin .. end - 1; workers share them all. */
typedef void dts_reduce_part(const struct dts_reduce_arrays *arrays, size_t begin, size_t end);

void dts_reduce_each(dts_reduce_part *part, const struct dts_reduce_arrays *arrays,
                     struct dts_workers *workers);

#endif

/* sum_time.h -- how long it takes to add the gradient that one layer makes of its input to that
 * of another layer that takes the same tensor: work of a step that is no layer's call. */
#ifndef DTS_EXEC_SUM_TIME_H
#define DTS_EXEC_SUM_TIME_H

#include "exec/kernel_time.h"

/* Adds runs to `out`, of `count` values. What is added was just written. */
bool dts_sum_time(const struct dts_kernel_timer *timer, size_t count,
                  struct dts_kernel_times *out, struct dts_error *err);

#endif

/* beside_time.h -- how long work of a step takes that is no layer's call (train/model/calls.h):
 * clearing gradients, adding those that several layers make of one tensor. */
#ifndef DTS_TRAIN_TIMING_BESIDE_TIME_H
#define DTS_TRAIN_TIMING_BESIDE_TIME_H

#include "train/timing/kernel_time.h"

/* Is that call such work? */
bool dts_is_beside(const struct dts_op_call *call);

/* Adds runs to out->forward. What is added was just written; gradients are cleared once. */
bool dts_beside_time(const struct dts_kernel_timer *timer, const struct dts_op_call *call,
                     int batch, struct dts_kernel_times *out, struct dts_error *err);

#endif

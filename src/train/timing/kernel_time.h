/* kernel_time.h -- how long one call takes on a device, alone, with caches as a step leaves
 * them: from the moment when the host calls it until the device is done.
 *
 * Before each run as much memory is written as the step's other calls move since what the call
 * works on was used last, at most what surely flushes the caches; what the call before it in a
 * network has just written (its first input, or the gradient that comes in) is then written
 * anew, so that it lies where it would lie. Inputs are normal random numbers. In bf16 and fp16
 * what is timed is the call in mixed precision (kernels/mixed.h).
 */
#ifndef DTS_TRAIN_TIMING_KERNEL_TIME_H
#define DTS_TRAIN_TIMING_KERNEL_TIME_H

#include "train/timing/kernel_timer.h"

struct dts_kernel_times {
    struct dts_runs forward, backward; // backward.count 0: not asked for
    size_t bytes;                      // memory that the call held, scratch included
};

/* A call in training, with `batch` samples. */
struct dts_kernel_work {
    const struct dts_op_call *call;
    int batch;
    bool backward;    // time that, too
    bool with_inputs; // backward makes the inputs' gradients
};

/* Memory that dts_kernel_time() takes for it. */
size_t dts_kernel_bytes(const struct dts_kernel_timer *timer,
                        const struct dts_kernel_work *work);

/* Adds runs to `out`. Fails where no operation carries the call out there, memory is missing or
 * the device fails. */
bool dts_kernel_time(const struct dts_kernel_timer *timer, const struct dts_kernel_work *work,
                     struct dts_kernel_times *out, struct dts_error *err);

#endif

/* kernel_time.h -- how long one call takes on this CPU, alone, with caches as a step leaves
 * them.
 *
 * Before each run as much memory is written as the rest of the step touches, at most what
 * surely flushes the caches; what the call before it in a network has just written (its first
 * input, or the gradient that comes in) is then written anew, so that it lies where it would
 * lie. Inputs are normal random numbers. In bf16 and fp16 what is timed is the call in mixed
 * precision (ops/mixed.h).
 */
#ifndef DTS_EXEC_KERNEL_TIME_H
#define DTS_EXEC_KERNEL_TIME_H

#include "base/error.h"
#include "kernels/device.h"
#include "kernels/measure.h"
#include "ops/op.h"

struct dts_kernel_times {
    struct dts_runs forward, backward; // backward.count 0: not asked for
    size_t bytes;                      // memory that the call held, scratch included
};

/* What passes in a step between the last use of what a call works on and the call. */
struct dts_gap {
    double share;   // of the bytes that a step touches
    double seconds; // at the least
};

/* What all calls are timed with. */
struct dts_kernel_timer {
    struct dts_meter meter; // prepare and pace are the timer's own
    struct dts_pace pace;   // of its workers
    struct dts_workers *workers;
    char *flush; // owned; written to flush the caches
    size_t flush_bytes;
    bool mixed; // precision
    enum dts_half half;
    size_t around_bytes;              // what a step touches, the call's own memory included
    struct dts_gap forward, backward; // before these; what is neither has that of forward
};

/* What lies in the last cache for so long without being used is thrown out by whoever else uses
 * it, on a virtual machine those that one does not see: an update of 207,178 values took 0.13
 * ms when it followed on the one before it at once or after 0.3 ms, 0.20 ms after 2 ms, 0.28
 * after 5 and 0.30 after 10. */
#define DTS_FORGOTTEN_S 5e-3

/* Its share of what else than these bytes of its own a step pushes through the caches: one byte
 * of each line is written. (memset() of much memory may pass the caches by.) */
void dts_kernel_timer_flush(const struct dts_kernel_timer *timer, const struct dts_gap *gap,
                            size_t own_bytes);

/* Write one byte of each line of what a call before has just left: it lies in the caches again,
 * as it does in a step. */
void dts_kernel_timer_refresh(void *fresh, size_t bytes);

/* around_bytes is as much as flushes the caches, gaps are whole and DTS_FORGOTTEN_S long, until
 * they are set. The timer must stay where it is. */
bool dts_kernel_timer_make(struct dts_kernel_timer *timer, const struct dts_meter *meter,
                           int threads, enum dts_precision precision, struct dts_error *err);
void dts_kernel_timer_free(struct dts_kernel_timer *timer);

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

/* Adds runs to `out`. Fails where no operation carries the call out or memory is missing. */
bool dts_kernel_time(const struct dts_kernel_timer *timer, const struct dts_kernel_work *work,
                     struct dts_kernel_times *out, struct dts_error *err);

#endif

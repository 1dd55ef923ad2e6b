/* kernel_timer.h -- a clock for work on a device: what the caches hold before each run. */
#ifndef DTS_EXEC_KERNEL_TIMER_H
#define DTS_EXEC_KERNEL_TIMER_H

#include "base/error.h"
#include "kernels/device.h"
#include "kernels/measure.h"
#include "ops/space.h"

/* What passes in a step between the last use of what a call works on and the call. */
struct dts_gap {
    double share;   // of the bytes that a step touches
    double seconds; // at the least
};

/* What all calls are timed with. */
struct dts_kernel_timer {
    struct dts_meter meter;  // prepare and pace are the timer's own
    struct dts_pace pace;    // of the device, where it has one
    struct dts_space *space; // where calls run and their arrays lie
    void *flush;             // owned, there; touched to flush the caches
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

/* Its share of what else than these bytes of its own a step pushes through the caches: each
 * line is written. */
void dts_kernel_timer_flush(const struct dts_kernel_timer *timer, const struct dts_gap *gap,
                            size_t own_bytes);

/* Write each line of what a call before has just left (NULL: nothing): it lies in the caches
 * again, as it does in a step. */
void dts_kernel_timer_refresh(const struct dts_kernel_timer *timer, void *fresh, size_t bytes);

/* around_bytes is as much as flushes the caches, gaps are whole and DTS_FORGOTTEN_S long, until
 * they are set. The timer must stay where it is; the space outlives it. */
bool dts_kernel_timer_make(struct dts_kernel_timer *timer, const struct dts_meter *meter,
                           struct dts_space *space, enum dts_precision precision,
                           struct dts_error *err);

/* False where something went wrong on the device since it was opened. */
bool dts_kernel_timer_works(const struct dts_kernel_timer *timer, struct dts_error *err);

void dts_kernel_timer_free(struct dts_kernel_timer *timer);

#endif

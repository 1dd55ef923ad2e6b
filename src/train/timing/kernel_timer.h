/* kernel_timer.h -- a clock for work on a device: what the caches hold before each run. */
#ifndef DTS_TRAIN_TIMING_KERNEL_TIMER_H
#define DTS_TRAIN_TIMING_KERNEL_TIMER_H

#include "base/error.h"
#include "base/measure/measure.h"
#include "device/device.h"
#include "kernels/space/space.h"
#include "train/network/network_reuse.h"

/* What passes in a step between the last use of what a call works on and the call. */
struct dts_gap {
    double bytes;   // that other calls move
    double seconds; // at the least
};

/* A network has all of one kind in one array. */
enum dts_kind_of_memory {
    DTS_OF_WEIGHTS,
    DTS_OF_GRADIENTS,
    DTS_OF_VALUES,
    DTS_KINDS_OF_MEMORY
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
    size_t weights_bytes;             // of a step; as many of gradients,
    size_t values_bytes;              // and what calls leave
    struct dts_gap forward, backward; // before these; what is neither has that of forward
    struct dts_gap before_update;     // between a call's backward and its weights' update
    struct dts_reuse reuse;           // of its scratch; the rest is as old as its weights
    bool behind_step;                 // a step ran right before: calls need no more unseen runs
};

/* What lies in the caches for so long without being used is thrown out by other programs, on a
 * virtual machine also by those that one does not see. Measured, docs/log/2026-11-comments.md.
 * Where it is not so (dts_space_tires()) nothing waits: only the bytes of a gap count. */
#define DTS_FORGOTTEN_S 40e-3

/* Its bytes, but no more than what surely flushes the caches: each line is written. */
void dts_kernel_timer_flush(const struct dts_kernel_timer *timer, const struct dts_gap *gap);

/* The last flush before a run. The gap's seconds include those until the run: the processor
 * computes for a moment, and its pace is taken. */
void dts_kernel_timer_flush_last(const struct dts_kernel_timer *timer,
                                 const struct dts_gap *gap);

/* Is the gap shorter than half of that? Then a run right behind another one is closer to what a
 * step does. */
bool dts_kernel_timer_is_closer(const struct dts_kernel_timer *timer,
                                const struct dts_gap *gap);

/* Does that flush the caches? */
bool dts_kernel_timer_forgets(const struct dts_kernel_timer *timer, const struct dts_gap *gap);

/* Write each line of what a call before has just left (NULL: nothing): it lies in the caches
 * again, as it does in a step. */
void dts_kernel_timer_refresh(const struct dts_kernel_timer *timer, void *fresh, size_t bytes);

/* Right before a run: the processor computes for a moment, as a step does until its next call,
 * a quarter as long as memory was only moved, since `since_s` on dts_now_s(). After a pause a
 * processor needs that to be as fast again: measured, docs/log/2026-11-comments.md. */
void dts_kernel_timer_ready(const struct dts_kernel_timer *timer, double since_s);

/* Memory of that kind, to be given back to the space. It lies in large pages (base/os/pages.h)
 * where the array of the network does: a call's own part of it may be too short to get any. */
bool dts_kernel_timer_get(const struct dts_kernel_timer *timer, enum dts_kind_of_memory kind,
                          size_t bytes, void **there, struct dts_error *err);

/* Everything is as large as flushes the caches, gaps DTS_FORGOTTEN_S long, and scratch just
 * used, until they are set. The timer must stay where it is; the space outlives it. */
bool dts_kernel_timer_make(struct dts_kernel_timer *timer, const struct dts_meter *meter,
                           struct dts_space *space, enum dts_precision precision,
                           struct dts_error *err);

/* False where something went wrong on the device since it was opened. */
bool dts_kernel_timer_works(const struct dts_kernel_timer *timer, struct dts_error *err);

void dts_kernel_timer_free(struct dts_kernel_timer *timer);

#endif

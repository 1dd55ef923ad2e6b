/* dock.h -- where the messages of a rank leave and arrive, and who computes with values there:
 * the host, or a device whose memory MPI reads and writes by itself. One file each; whoever
 * runs a plan says which (dts_live.dock).
 *
 * Verbs cannot fail: who has to end all ranks does so. Any thread may call them, each for the
 * stream that it runs. They are complete when they return, so that what they wrote can be sent,
 * and where they read something else can arrive.
 */
#ifndef DTS_LIVE_DOCK_H
#define DTS_LIVE_DOCK_H

#include "live/values.h"
#include "plan/plan.h"

struct dts_dock_kind {
    void *(*get)(void *self, size_t bytes);
    void (*give_back)(void *self, void *there); // NULL: nothing

    /* Calls of MPI lie between these: its progress of what one thread began may be made in any
     * thread's calls. NULL: they need not. */
    void (*lend)(void *self);
    void (*take_back)(void *self);

    /* What dts_values_pack() and so on (values.h) are on the host; all arrays lie there. */
    void (*pack)(void *self, enum dts_stream stream, const struct dts_values *v, void *message,
                 float *values, size_t count, bool round);
    void (*take)(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                 const void *message, size_t count);
    void (*add)(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                const void *message, size_t count);
    void (*round)(void *self, enum dts_stream stream, const struct dts_values *v, float *values,
                  size_t count);
};

extern const struct dts_dock_kind dts_dock_host;

struct dts_dock {
    const struct dts_dock_kind *kind;
    void *self;
    float *const *buffers; // of the plan, by number; doubles where elements have 8 bytes
};

/* In all that follows dock NULL is the host's. */
void dts_dock_give_back(const struct dts_dock *dock, void *there);

/* Room for at least so much; what was there is lost. *room is how much there is, 0 at first. */
void *dts_dock_grow(const struct dts_dock *dock, void *there, size_t *room, size_t bytes);

void dts_dock_lend(const struct dts_dock *dock);
void dts_dock_take_back(const struct dts_dock *dock);

#endif

/* guard.h -- one thread at a time: for executors whose calls run on several streams at once.
 */
#ifndef DTS_LIVE_GUARD_H
#define DTS_LIVE_GUARD_H

struct dts_guard;

struct dts_guard *dts_guard_new(void);
void dts_guard_free(struct dts_guard *guard); // NULL: nothing; nobody is inside

/* The thread that enters leaves. */
void dts_guard_enter(struct dts_guard *guard);
void dts_guard_leave(struct dts_guard *guard);

#endif

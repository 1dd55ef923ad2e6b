/* timed_wait.h -- a kernel that is waited for. Private to the room.
 *
 * A sleep ends late, by tens of microseconds. The next wait takes as much less, so that what is
 * late does not add up over the many calls of a step. Whatever is later than that is no sleep's
 * doing: the processor was taken away, and what a real kernel loses then it does not get back.
 */
#ifndef DTS_LIVE_TIMED_WAIT_H
#define DTS_LIVE_TIMED_WAIT_H

#include "base/os/clock.h"

/* How late a sleep may end: twice the usual slack of a timer (prctl(2), PR_SET_TIMERSLACK:
 * 50 us), for the slack and for waking up. ASSUMED */
#define DTS_SLEEP_LATE_S 100e-6

struct dts_sleeper {
    struct dts_clock clock;
    void (*sleep_until)(void *self, double end_s); // NULL: until this time of dts_now_s()
    void *self;
};

/* Waits until a call of so many seconds that could begin at `due_s` has ended; returns when it
 * counts as ended. It takes its own seconds from now on, less DTS_SLEEP_LATE_S at the most. */
double dts_timed_wait(const struct dts_sleeper *sleeper, double due_s, double seconds);

#endif

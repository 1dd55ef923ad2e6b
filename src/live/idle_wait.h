/* idle_wait.h -- what a rank does between two looks for a message.
 *
 * At first it looks again at once, for as long as a message between two free cores takes. Then
 * it sleeps between looks. If each rank has a core it does not call sched_yield(): beside
 * another program that computes, this would give away whole time slices. If ranks share cores
 * it does, since a sleep is longer than a message there. Measured,
 * docs/log/2026-11-comments.md.
 */
#ifndef DTS_LIVE_IDLE_WAIT_H
#define DTS_LIVE_IDLE_WAIT_H

#include <stdbool.h>

/* Sets the way to wait for all threads, before any of them waits. crowded: there are more ranks
 * than cores. */
void dts_idle_wait_begin(bool crowded);

/* Waits once. since_s: when the last message came or the wait began, by dts_now_s(). */
void dts_idle_wait(double since_s);

#endif

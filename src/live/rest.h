/* rest.h -- what a rank does between two looks at whether a message is there.
 *
 * For as long as a message between two free cores takes it looks again at once; then it sleeps.
 * Where each rank has a core it does not call sched_yield(): beside a process that computes,
 * that gives away whole time slices (2 to 8 ms with Linux 6; 30 steps of two ranks beside three
 * busy processes on two cores took 25 s with it and 2 s without). Where ranks share cores it
 * does: a message of a byte between four ranks on two cores took 6 us, and 85 us by sleeps
 * alone.
 */
#ifndef DTS_LIVE_REST_H
#define DTS_LIVE_REST_H

#include <stdbool.h>

/* For all threads, before any of them waits. crowded: more ranks than cores. */
void dts_rest_begin(bool crowded);

/* since_s: when the last message came, or the wait began, of dts_now_s(). */
void dts_rest(double since_s);

#endif

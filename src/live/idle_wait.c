/* idle_wait.c -- spins first, then sleeps. */
#include "live/idle_wait.h"

#include <sched.h>
#include <time.h>

#include "base/os/clock.h"

/* A message between two free cores takes some microseconds. A sleep of the kernel is not much
 * shorter than SLEEP_NS. */
static const double SPIN_S = 100e-6;
enum { SLEEP_NS = 20000 };

static bool yields;

void dts_idle_wait_begin(bool crowded)
{
    yields = crowded;
}

void dts_idle_wait(double since_s)
{
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
    if (dts_now_s() - since_s >= SPIN_S)
        nanosleep(&pause, NULL);
    else if (yields)
        sched_yield();
}

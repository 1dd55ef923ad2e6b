/* rest.c -- spins first and sleeps then. */
#include "live/rest.h"

#include <sched.h>
#include <time.h>

#include "base/os/clock.h"

/* A message between two free cores is there within some microseconds; a sleep of the kernel is
 * not shorter than SLEEP_NS by much. */
static const double SPIN_S = 100e-6;
enum { SLEEP_NS = 20000 };

static bool yields;

void dts_rest_begin(bool crowded)
{
    yields = crowded;
}

void dts_rest(double since_s)
{
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
    if (dts_now_s() - since_s >= SPIN_S)
        nanosleep(&pause, NULL);
    else if (yields)
        sched_yield();
}

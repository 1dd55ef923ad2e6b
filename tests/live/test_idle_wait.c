/* test_idle_wait.c -- ranks that wait for one that is late leave their cores to others. */
#include <time.h>

#include "base/os/clock.h"
#include "check.h"
#include "live/wire.h"
#include "live_jobs.h"

static struct dts_wire *wire;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void who_rests_needs_no_core(void)
{
    const struct timespec late = {.tv_sec = 1};
    dts_wire_barrier(wire);
    const double cpu = cpu_s(), begun_s = dts_now_s();
    if (dts_wire_rank(wire) == 0)
        nanosleep(&late, NULL);
    dts_wire_idle_barrier(wire);
    CHECK(dts_now_s() - begun_s > 0.9);
    CHECK(cpu_s() - cpu < 0.2);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {TEST(who_rests_needs_no_core)};
    int failed;
    if (!open_wire(&wire, &argc, &argv, &failed))
        return failed;
    failed = check_run(tests, 1);
    dts_wire_close(wire);
    return failed;
}

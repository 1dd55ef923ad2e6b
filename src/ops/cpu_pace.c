/* cpu_pace.c -- a fixed piece of work, timed. */
#include "ops/cpu_pace.h"

#include "base/clock.h"

enum { VALUES = 512, ROUNDS = 4096 }; // 2 KiB, 2 x 10^6 multiplications and additions: 0.1 ms

static void piece(void *argument, int worker, int workers)
{
    float values[VALUES];
    volatile float sink;
    (void)argument;
    (void)workers;
    for (int i = 0; i < VALUES; i++)
        values[i] = (float)(worker + i);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < VALUES; i++)
            values[i] = values[i] * 0.999f + 0.5f;
    for (int i = 0; i < VALUES; i++)
        sink = values[i];
    (void)sink;
}

static double take_s(void *workers)
{
    const double begin_s = dts_now_s();
    dts_workers_run(workers, piece, NULL);
    return dts_now_s() - begin_s;
}

struct dts_pace dts_cpu_pace(struct dts_workers *workers)
{
    return (struct dts_pace){.take_s = take_s, .argument = workers};
}

/* cpu_pace.c -- a fixed piece of work, timed. */
#include "kernels/space/cpu_pace.h"

#include <cblas.h>
#include <stdalign.h>

#include "base/os/clock.h"

/* SIDE: of three matrices: 12 KiB, 66 x 10^3 operations. PRODUCTS take about 0.1 ms. UNSEEN: so
 * many run before them, since after a call that moved memory the first products wait for their
 * code and for the clock of the processor. */
enum { LINE = 64, SIDE = 32, PRODUCTS = 160, UNSEEN = 40 };

static void multiply(void *argument, int worker, int workers)
{
    alignas(LINE) float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    const int *count = argument;
    (void)worker, (void)workers;
    for (int i = 0; i < SIDE * SIDE; i++)
        a[i] = b[i] = 1;
    for (int i = 0; i < *count; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, a, SIDE, b,
                    SIDE, 0, c, SIDE);
}

void dts_cpu_products(struct dts_workers *workers, int count)
{
    dts_workers_run(workers, multiply, &count);
}

static double take_s(void *workers)
{
    dts_cpu_products(workers, UNSEEN);
    const double begin_s = dts_now_s();
    dts_cpu_products(workers, PRODUCTS);
    return dts_now_s() - begin_s;
}

struct dts_pace dts_cpu_pace(struct dts_workers *workers)
{
    return (struct dts_pace){.take_s = take_s, .argument = workers};
}

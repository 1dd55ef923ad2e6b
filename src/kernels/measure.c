/* measure.c -- repeated timing until the median is stable. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/stats.h"
#include "kernels/measure.h"

struct dts_measured dts_measured_of(const struct dts_runs *runs)
{
    struct dts_measured out = {.count = runs->count};
    double sorted[DTS_MOST_RUNS];
    if (runs->count == 0)
        return out;
    memcpy(sorted, runs->seconds, (size_t)runs->count * sizeof(*sorted));
    out.median_s = dts_median(sorted, runs->count);
    out.mad_s = dts_mad(sorted, runs->count);
    out.least_s = runs->seconds[0];
    for (int i = 1; i < runs->count; i++)
        out.least_s = runs->seconds[i] < out.least_s ? runs->seconds[i] : out.least_s;
    return out;
}

static double now_s(const struct dts_meter *meter)
{
    return meter->now_s != NULL ? meter->now_s(meter->clock) : dts_now_s();
}

static bool is_stable(const struct dts_meter *meter, const struct dts_runs *runs)
{
    const struct dts_measured so_far = dts_measured_of(runs);
    return so_far.mad_s <= meter->spread * so_far.median_s;
}

void dts_measure_more(const struct dts_meter *meter, void (*run)(void *argument),
                      void *argument, struct dts_runs *runs)
{
    assert(meter->least >= 1);
    const double begin_s = now_s(meter);
    run(argument);
    for (int more = 1; runs->count < DTS_MOST_RUNS; more++) {
        if (meter->prepare != NULL)
            meter->prepare(argument);
        const double before_s = now_s(meter);
        run(argument);
        const double after_s = now_s(meter);
        runs->seconds[runs->count++] = after_s - before_s;
        if (more >= meter->least &&
            (after_s - begin_s >= meter->limit_s || is_stable(meter, runs)))
            return;
    }
}

void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out)
{
    struct dts_runs runs = {.count = 0};
    dts_measure_more(meter, run, argument, &runs);
    *out = dts_measured_of(&runs);
}

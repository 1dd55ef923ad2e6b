/* measure.c -- repeated timing until the median is stable. */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/stats.h"
#include "kernels/measure.h"

double dts_runs_add(struct dts_runs *runs, double seconds, double before_s,
                    struct dts_pace *pace)
{
    const double after_s = pace != NULL ? dts_pace_take(pace) : 0;
    if (runs->count < DTS_MOST_RUNS) {
        runs->seconds[runs->count] = seconds;
        runs->before_s[runs->count] = before_s;
        runs->after_s[runs->count++] = after_s;
    }
    return after_s;
}

/* Into `seconds`; returns how many. pace: NULL: all count. */
static int those_that_count(const struct dts_runs *runs, const struct dts_pace *pace,
                            double *seconds)
{
    const double usual_s = pace != NULL ? dts_pace_usual_s(pace) : 0;
    int count = 0;
    for (int i = 0; i < runs->count; i++)
        if (pace == NULL || (dts_pace_is_usual(runs->before_s[i], usual_s) &&
                             dts_pace_is_usual(runs->after_s[i], usual_s)))
            seconds[count++] = runs->seconds[i];
    return count;
}

void dts_runs_count(const struct dts_runs *runs, const struct dts_pace *pace,
                    struct dts_run_count *sum)
{
    double seconds[DTS_MOST_RUNS];
    sum->runs += runs->count;
    sum->counting += those_that_count(runs, pace, seconds);
}

struct dts_measured dts_measured_of(const struct dts_runs *runs, const struct dts_pace *pace)
{
    double seconds[DTS_MOST_RUNS];
    int count = those_that_count(runs, pace, seconds);
    if (count == 0)
        count = those_that_count(runs, NULL, seconds);
    struct dts_measured out = {.count = count};
    if (count == 0)
        return out;
    out.median_s = dts_median(seconds, count);
    out.least_s = seconds[0]; // sorted
    out.mad_s = dts_mad(seconds, count);
    return out;
}

static double now_s(const struct dts_meter *meter)
{
    return meter->now_s != NULL ? meter->now_s(meter->clock) : dts_now_s();
}

/* Enough runs, `spent_s` after the begin? */
static bool is_enough(const struct dts_meter *meter, const struct dts_runs *runs, int more,
                      double spent_s)
{
    double seconds[DTS_MOST_RUNS];
    if (runs->count == DTS_MOST_RUNS)
        return true;
    if (more < meter->least)
        return false;
    if (those_that_count(runs, meter->pace, seconds) < meter->least)
        return more >= 2 * meter->least && spent_s >= meter->limit_s;
    const struct dts_measured so_far = dts_measured_of(runs, meter->pace);
    return spent_s >= meter->limit_s || so_far.mad_s <= meter->spread * so_far.median_s;
}

void dts_measure_more(const struct dts_meter *meter, void (*run)(void *argument),
                      void *argument, struct dts_runs *runs)
{
    assert(meter->least >= 1);
    if (runs->count == DTS_MOST_RUNS)
        return;
    double begin_s = now_s(meter);
    run(argument);
    double after_s = now_s(meter),
           pace_s = meter->pace != NULL ? dts_pace_take(meter->pace) : 0;
    int more = 0;
    do {
        if (meter->pace != NULL)
            pace_s = dts_pace_wait(meter->pace, pace_s);
        if (meter->prepare != NULL)
            meter->prepare(argument);
        const double before_s = now_s(meter);
        begin_s += before_s - after_s; // the limit is that of runs
        run(argument);
        after_s = now_s(meter);
        pace_s = dts_runs_add(runs, after_s - before_s, pace_s, meter->pace);
    } while (!is_enough(meter, runs, ++more, after_s - begin_s));
}

void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out)
{
    struct dts_runs runs = {.count = 0};
    dts_measure_more(meter, run, argument, &runs);
    *out = dts_measured_of(&runs, meter->pace);
}

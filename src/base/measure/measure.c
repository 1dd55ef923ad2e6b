/* measure.c -- repeated timing until the median is stable. */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/measure/measure.h"
#include "base/measure/pace_slope.h"
#include "base/stats.h"

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

static bool run_counts(const struct dts_runs *runs, int i, double usual_s)
{
    return dts_pace_is_usual(runs->before_s[i], usual_s) &&
           dts_pace_is_usual(runs->after_s[i], usual_s);
}

/* Into `seconds`; returns how many. pace: NULL: all count. */
static int those_that_count(const struct dts_runs *runs, const struct dts_pace *pace,
                            double *seconds)
{
    const double usual_s = pace != NULL ? dts_pace_usual_s(pace) : 0;
    int count = 0;
    for (int i = 0; i < runs->count; i++)
        if (pace == NULL || pace->all_count || run_counts(runs, i, usual_s))
            seconds[count++] = runs->seconds[i];
    return count;
}

void dts_runs_drop_others(struct dts_runs *runs, const struct dts_pace *pace)
{
    const double usual_s = dts_pace_usual_s(pace);
    int count = 0;
    for (int i = 0; i < runs->count; i++)
        if (pace->all_count || run_counts(runs, i, usual_s)) {
            runs->seconds[count] = runs->seconds[i];
            runs->before_s[count] = runs->before_s[i];
            runs->after_s[count++] = runs->after_s[i];
        }
    runs->count = count;
}

void dts_runs_count(const struct dts_runs *runs, const struct dts_pace *pace,
                    struct dts_run_count *sum)
{
    double seconds[DTS_MOST_RUNS];
    sum->runs += runs->count;
    sum->counting += those_that_count(runs, pace, seconds);
}

double dts_runs_disturbed_percent(const struct dts_run_count *all)
{
    return 100.0 * (all->runs - all->counting) / (all->runs > 0 ? all->runs : 1);
}

void dts_pace_judge(struct dts_pace *pace, const struct dts_run_count *all)
{
    if (pace->asked_s <= 0 && dts_runs_disturbed_percent(all) > 50)
        pace->all_count = true;
}

/* As they would have been at the usual pace, by how these runs follow it. */
static void bring_to_usual(const struct dts_runs *runs, const struct dts_pace *pace,
                           double *seconds)
{
    const double usual_s = dts_pace_usual_s(pace);
    double paces[DTS_MOST_RUNS];
    for (int i = 0; i < runs->count; i++) {
        paces[i] = (runs->before_s[i] + runs->after_s[i]) / 2;
        if (usual_s <= 0 || paces[i] <= 0 || seconds[i] <= 0)
            return; // no pace was taken, or too short for the clock
    }
    const double slope = dts_pace_slope(seconds, paces, runs->count);
    for (int i = 0; i < runs->count; i++)
        seconds[i] *= pow(usual_s / paces[i], slope);
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
    if (pace != NULL && pace->all_count)
        bring_to_usual(runs, pace, seconds);
    out.median_s = dts_median(seconds, count);
    out.least_s = seconds[0]; // sorted
    out.mad_s = dts_mad(seconds, count);
    return out;
}

/* Enough runs, `spent_s` after the begin? The standard error of the median of n normal values
 * is 1.25 deviations / sqrt(n), and their MAD 0.674 deviations. */
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
    if (spent_s >= meter->limit_s)
        return true;
    const struct dts_measured so_far = dts_measured_of(runs, meter->pace);
    const double wanted_s = meter->spread * so_far.median_s, scatter_s = 1.86 * so_far.mad_s;
    return scatter_s * scatter_s <= wanted_s * wanted_s * so_far.count;
}

/* Until the pace is the usual one. Naps leave the caches to others and let the clock fall: a
 * short run follows unseen. */
static double wait_for_pace(const struct dts_meter *meter, void (*run)(void *argument),
                            void *argument, double pace_s, double last_s)
{
    const double patience_s = meter->pace->patience_s;
    pace_s = dts_pace_wait(meter->pace, pace_s);
    if (meter->pace->patience_s < patience_s && last_s < DTS_SHORT_RUN_S)
        run(argument);
    return pace_s;
}

enum { MOST_BETWEEN = 200 }; // runs, whatever the clock says

/* For as long as the pace took: a processor remembers little but that, then. */
static void pass_between(const struct dts_meter *meter, void *argument)
{
    if (meter->between == NULL)
        return;
    const struct dts_clock *clock = &meter->clock;
    const double took_s = meter->pace != NULL ? meter->pace->took_s : 0;
    const double begin_s = dts_clock_now_s(clock);
    for (int i = 0; i == 0 || (i < MOST_BETWEEN && dts_clock_now_s(clock) - begin_s < took_s);
         i++)
        meter->between(argument);
}

bool dts_runs_are_short(const struct dts_runs *runs)
{
    return runs->count == 0 || runs->seconds[runs->count - 1] < DTS_SHORT_RUN_S;
}

void dts_measure_more(const struct dts_meter *meter, void (*run)(void *argument),
                      void *argument, struct dts_runs *runs)
{
    assert(meter->least >= 1);
    if (runs->count == DTS_MOST_RUNS)
        return;
    double begin_s = dts_clock_now_s(&meter->clock);
    run(argument);
    double after_s = dts_clock_now_s(&meter->clock), last_s = after_s - begin_s,
           pace_s = meter->pace != NULL ? dts_pace_take(meter->pace) : 0;
    int more = 0;
    do {
        if (meter->pace != NULL)
            pace_s = wait_for_pace(meter, run, argument, pace_s, last_s);
        if (meter->prepare != NULL) {
            meter->prepare(argument);
            if (meter->pace != NULL)
                pace_s = dts_pace_take(meter->pace); // that may have taken long
        }
        pass_between(meter, argument);
        const double before_s = dts_clock_now_s(&meter->clock);
        begin_s += 0.75 * (before_s - after_s); // the limit is that of runs, above all
        run(argument);
        after_s = dts_clock_now_s(&meter->clock);
        last_s = after_s - before_s;
        pace_s = dts_runs_add(runs, last_s, pace_s, meter->pace);
    } while (!is_enough(meter, runs, ++more, after_s - begin_s));
}

void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out)
{
    struct dts_runs runs = {.count = 0};
    dts_measure_more(meter, run, argument, &runs);
    *out = dts_measured_of(&runs, meter->pace);
}

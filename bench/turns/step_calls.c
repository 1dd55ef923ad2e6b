/* step_calls.c -- runs of calls, with the pace beside them. */
#include "turns/step_calls.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/os/clock.h"

static const double EVERY_S = 0.005; // the piece of work that tells the pace is lost in it

void dts_step_calls_make(struct dts_step_calls *calls, int count, struct dts_pace *pace)
{
    *calls = (struct dts_step_calls){
        .pace = pace,
        .runs = dts_alloc((size_t)count, sizeof(*calls->runs)),
        .count = count,
    };
}

void dts_step_calls_free(struct dts_step_calls *calls)
{
    free(calls->runs);
    *calls = (struct dts_step_calls){.runs = NULL};
}

void dts_step_calls_begin(struct dts_step_calls *calls, double pace_s)
{
    calls->first = 0;
    calls->pace_s = pace_s;
    calls->taken_s = dts_now_s();
}

/* The calls since it was taken last have it behind them. */
static void take_pace(struct dts_step_calls *calls, int last)
{
    const double begin_s = dts_now_s();
    calls->pace_s = dts_pace_take(calls->pace);
    for (; calls->first <= last; calls->first++) {
        struct dts_runs *runs = &calls->runs[calls->first];
        runs->after_s[runs->count - 1] = calls->pace_s;
    }
    calls->taken_s = dts_now_s();
    calls->lost_s += calls->taken_s - begin_s;
}

void dts_step_calls_add(struct dts_step_calls *calls, int call, double seconds)
{
    struct dts_runs *runs = &calls->runs[call];
    if (calls->unseen)
        return;
    if (runs->count == DTS_MOST_RUNS)
        dts_runs_drop_others(runs, calls->pace);
    if (runs->count == DTS_MOST_RUNS)
        runs->count--; // the last one makes room
    runs->seconds[runs->count] = seconds;
    runs->before_s[runs->count++] = calls->pace_s;
    if (call == calls->count - 1 || dts_now_s() - calls->taken_s > EVERY_S)
        take_pace(calls, call);
}

void dts_step_calls_drop_last(struct dts_step_calls *calls)
{
    for (int i = 0; i < calls->count; i++)
        calls->runs[i].count--;
}

double dts_step_calls_sum(const struct dts_step_calls *calls, double *off)
{
    double sum_s = 0, off_s = 0;
    for (int i = 0; i < calls->count; i++) {
        const double seconds = dts_measured_of(&calls->runs[i], calls->pace).median_s;
        struct dts_run_count counts = {0, 0};
        dts_runs_count(&calls->runs[i], calls->pace, &counts);
        sum_s += seconds;
        off_s += counts.counting == 0 ? seconds : 0;
    }
    *off = sum_s > 0 ? off_s / sum_s : 0;
    return sum_s;
}

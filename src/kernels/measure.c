/* measure.c -- repeated timing until the median is stable. */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/stats.h"
#include "kernels/measure.h"

enum { MOST = 200 }; // runs; more would not move a median that is not stable by then

static void summarize(const double *seconds, struct dts_measured *out)
{
    double sorted[MOST];
    memcpy(sorted, seconds, (size_t)out->count * sizeof(*sorted));
    out->median_s = dts_median(sorted, out->count);
    out->mad_s = dts_mad(sorted, out->count);
    out->least_s = seconds[0];
    for (int i = 1; i < out->count; i++)
        out->least_s = seconds[i] < out->least_s ? seconds[i] : out->least_s;
}

static double now_s(const struct dts_meter *meter)
{
    return meter->now_s != NULL ? meter->now_s(meter->clock) : dts_now_s();
}

void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out)
{
    double seconds[MOST];
    assert(meter->least >= 1 && meter->least <= MOST);
    *out = (struct dts_measured){0};
    const double begin_s = now_s(meter);
    run(argument);
    for (;;) {
        if (meter->prepare != NULL)
            meter->prepare(argument);
        const double before_s = now_s(meter);
        run(argument);
        const double after_s = now_s(meter);
        seconds[out->count++] = after_s - before_s;
        summarize(seconds, out);
        if (out->count < meter->least)
            continue;
        if (out->count == MOST || after_s - begin_s >= meter->limit_s ||
            out->mad_s <= meter->spread * out->median_s)
            return;
    }
}

/* time_axis.c -- tics at seconds, minutes, hours and days. */
#include "cli/picture/time_axis.h"

#include <math.h>

struct tic {
    double seconds;
    const char *name;
    bool coarse; // shown where many decades are
};

static const struct tic tics[] = {
    {1, "1 s", true},
    {2, "2 s", false},
    {5, "5 s", false},
    {10, "10 s", true},
    {20, "20 s", false},
    {30, "30 s", false},
    {60, "1 min", true},
    {120, "2 min", false},
    {300, "5 min", false},
    {600, "10 min", true},
    {1200, "20 min", false},
    {1800, "30 min", false},
    {3600, "1 h", true},
    {2 * 3600, "2 h", false},
    {5 * 3600, "5 h", true},
    {12 * 3600, "12 h", false},
    {86400, "1 day", true},
    {2 * 86400, "2 days", false},
    {5 * 86400, "5 days", false},
    {10 * 86400, "10 days", true},
    {20 * 86400, "20 days", false},
    {50 * 86400, "50 days", false},
    {100 * 86400, "100 days", true},
    {1000.0 * 86400, "1000 days", true},
    {10000.0 * 86400, "10k days", true},
    {100000.0 * 86400, "100k days", true},
};
enum { TICS = sizeof(tics) / sizeof(tics[0]) };

static const double room = 1.18; // beside the first and the last time

static bool is_shown(const struct tic *tic, const struct dts_time_axis *times)
{
    const bool wide = times->high_s / times->low_s > 300;
    return tic->seconds >= times->low_s / room && tic->seconds <= times->high_s * room &&
           (!wide || tic->coarse);
}

struct dts_time_axis dts_time_axis(double low_s, double high_s)
{
    enum { FEW = 3 };
    struct dts_time_axis times = {dts_time_unit_training(high_s), true, low_s, high_s};
    int count = 0;
    if (!(low_s > 0) || !isfinite(high_s))
        return times;
    for (int t = 0; t < TICS; t++)
        count += is_shown(&tics[t], &times);
    times.one = count < FEW || low_s < tics[0].seconds ||
                high_s > tics[TICS - 1].seconds * 10 ||
                dts_time_unit_training(low_s) == times.unit;
    return times;
}

void dts_time_axis_draw(struct dts_draw *draw, const char *axis,
                        const struct dts_time_axis *times, bool names)
{
    const double scale = times->unit->scale;
    bool first = true;
    if (times->one) {
        dts_draw_log_axis(draw, axis, scale * times->low_s, scale * times->high_s, names);
        return;
    }
    dts_draw(draw, "set logscale %s\nset %srange [%.12g:%.12g]\nset %stics (", axis, axis,
             scale * times->low_s / room, scale * times->high_s * room, axis);
    for (int t = 0; t < TICS; t++) {
        if (!is_shown(&tics[t], times))
            continue;
        dts_draw(draw, "%s\"%s\" %.12g", first ? "" : ", ", names ? tics[t].name : "",
                 scale * tics[t].seconds);
        first = false;
    }
    dts_draw(draw, ")\n");
}

void dts_time_axis_label(struct dts_draw *draw, const char *axis,
                         const struct dts_time_axis *times, const char *what)
{
    if (times->one)
        dts_draw(draw, "set %slabel \"%s [%s]\"\n", axis, what, times->unit->name);
    else
        dts_draw(draw, "set %slabel \"%s\"\n", axis, what);
}

/* plot_pareto.c -- the time of a training against the device-hours that it takes, and the
 * points that no other beats in both. Without a training: of a million samples. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/picture/plot.h"
#include "cli/picture/series.h"
#include "cli/picture/time_axis.h"
#include "cli/print/text_notes.h"

static const double million = 1e6;

static bool trains(const struct dts_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (!dts_result_refused(&report->points[i]) && report->points[i].training.time_s > 0)
            return true;
    return false;
}

/* Seconds of the work; NAN: the point does none. */
static double time_s(const struct dts_result *point, bool training)
{
    if (dts_result_refused(point))
        return NAN;
    return training ? point->training.time_s : million / point->throughput_samples_per_s;
}

static double device_hours(const struct dts_result *point, bool training)
{
    return point->devices * time_s(point, training) / 3600;
}

static int count_points(const struct dts_report *report)
{
    const bool training = trains(report);
    int count = 0;
    for (int i = 0; i < report->count; i++)
        count += isfinite(time_s(&report->points[i], training));
    return count;
}

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    const int count = count_points(report), most = 4000; // each is held against each
    return count < 2      ? "fewer than two points do work that is compared"
           : count > most ? "more than 4000 points"
                          : NULL;
}

static int says(const struct dts_report *report)
{
    return report->listed || !dts_report_scales(report) ? 0 : 2;
}

/* No other point ends as early and takes as few device-hours. */
static bool is_front(const struct dts_report *report, const struct dts_result *point,
                     bool training)
{
    const double x = time_s(point, training), y = device_hours(point, training);
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *other = &report->points[i];
        const double a = time_s(other, training), b = device_hours(other, training);
        if (isfinite(a) && a <= x && b <= y && (a < x || b < y))
            return false;
    }
    return isfinite(x);
}

static void add_series(struct dts_draw *draw, const struct dts_series *series, int number,
                       bool training, const struct dts_time_unit *unit)
{
    char name[DTS_TEXT_POINT];
    dts_draw(draw, "$p%d << EOD\n", number);
    for (int i = 0; i < series->count; i++) {
        const struct dts_result *point = series->points[i];
        const double x_s = time_s(point, training), y = device_hours(point, training);
        if (!isfinite(x_s))
            continue;
        const struct dts_time_unit *own = dts_time_unit_training(x_s);
        dts_draw_number(draw, unit->scale * x_s);
        dts_draw_number(draw, y);
        dts_draw_mark(draw, "%s: %.4g %s, %.4g device-hours", dts_text_point(point, name),
                      own->scale * x_s, own->name, y);
    }
    dts_draw(draw, "EOD\n");
}

/* What the axes span. */
struct span {
    struct dts_time_axis times;
    double low, high; // device-hours
};

static struct span find_span(const struct dts_report *report, bool training)
{
    struct span span = {.low = INFINITY};
    double low_s = INFINITY, high_s = 0;
    for (int i = 0; i < report->count; i++) {
        const double x = time_s(&report->points[i], training),
                     y = device_hours(&report->points[i], training);
        if (!isfinite(x))
            continue;
        low_s = fmin(low_s, x);
        high_s = fmax(high_s, x);
        span.low = fmin(span.low, y);
        span.high = fmax(span.high, y);
    }
    span.times = dts_time_axis(low_s, high_s);
    return span;
}

/* Those points that nothing beats, from the shortest time on. Returns how many. */
static int find_front(const struct dts_report *report, bool training,
                      const struct dts_result **front)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        int at = count;
        if (!is_front(report, point, training))
            continue;
        for (; at > 0 && time_s(front[at - 1], training) > time_s(point, training); at--)
            front[at] = front[at - 1];
        front[at] = point;
        count++;
    }
    return count;
}

/* $front: their times, device-hours and devices; a number that would lie on the one before is
 * left out. */
static void add_front(struct dts_draw *draw, const struct dts_report *report, bool training,
                      const struct span *span)
{
    const double wide = 0.06, high = 0.035; // parts of the axes that a number takes
    const struct dts_result **front = dts_alloc((size_t)report->count, sizeof(*front));
    const int count = find_front(report, training, front);
    const double across = log(span->times.high_s / span->times.low_s),
                 up = log(span->high / span->low);
    int last = -1;
    dts_draw(draw, "$front << EOD\n");
    for (int i = 0; i < count; i++) {
        const double x = time_s(front[i], training), y = device_hours(front[i], training);
        const bool apart = last < 0 || log(x / time_s(front[last], training)) > wide * across ||
                           fabs(log(y / device_hours(front[last], training))) > high * up;
        dts_draw_number(draw, span->times.unit->scale * x);
        dts_draw_number(draw, y);
        if (apart) {
            dts_draw(draw, " %d\n", front[i]->devices);
            last = i;
        } else
            dts_draw(draw, " \"\"\n");
    }
    dts_draw(draw, "EOD\n");
    free(front);
}

static void set_axes(struct dts_draw *draw, bool training, const struct span *span)
{
    dts_time_axis_draw(draw, "x", &span->times, true);
    dts_draw_log_axis(draw, "y", span->low, span->high, true);
    dts_time_axis_label(draw, "x", &span->times,
                        training ? "time of the training" : "time of a million samples");
    dts_draw(draw, "set ylabel \"device-hours\"\n");
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    struct dts_series *series;
    bool more;
    const bool training = trains(report);
    const int count = dts_series_find(report, &series, &more);
    const struct span span = find_span(report, training);
    for (int s = 0; s < count; s++)
        add_series(draw, &series[s], s, training, span.times.unit);
    add_front(draw, report, training, &span);
    dts_draw(draw, "set lmargin at screen 0.1\nset rmargin at screen " DTS_SERIES_EDGE "\n"
                   "set tmargin at screen 0.87\nset bmargin at screen 0.12\n"
                   "set key at screen " DTS_SERIES_KEY
                   ", screen 0.875 left top " DTS_SERIES_FONT "\n");
    dts_series_more(draw, more);
    dts_series_refused(draw, report);
    dts_series_keys(draw, series, count);
    dts_draw_head(draw, report, "What speed costs: time against device-hours");
    set_axes(draw, training, &span);
    dts_draw(draw,
             "plot $front using 1:2 with fsteps linewidth 1.5 linecolor rgb \"#888888\" "
             "title \"not beaten in both\", \\\n     $front using 1:2 with points pointtype 7 "
             "pointsize 0.4 linecolor rgb \"#888888\" notitle");
    for (int s = 0; s < count; s++) {
        dts_draw(draw, ", \\\n     $p%d using 1:2:3 with labels hypertext point", s);
        dts_series_style(draw, s, false, true);
        dts_draw(draw, " title ");
        dts_series_word(draw, series[s].name);
    }
    dts_draw(draw, ", \\\n     $front using 1:2:3 with labels left offset character 0.7, "
                   "character 0.5 textcolor rgb \"#555555\" title \"number: devices\"\n");
    dts_series_free(series, count);
    return true;
}

const struct dts_plot dts_plot_pareto = {
    .name = "pareto",
    .summary = "time against device-hours, and the points that nothing beats in both",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

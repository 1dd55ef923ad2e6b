/* plot_target.c -- how long a training takes, over devices and over the batch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/picture/plot.h"
#include "cli/picture/series.h"
#include "cli/picture/time_axis.h"
#include "cli/print/text_columns.h"
#include "cli/print/text_notes.h"

static bool has_time(const struct dts_result *point)
{
    return !dts_result_refused(point) && point->training.time_s > 0;
}

/* The first point that has a time; NULL: none has. */
static const struct dts_result *first(const struct dts_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (has_time(&report->points[i]))
            return &report->points[i];
    return NULL;
}

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    return first(report) != NULL ? NULL
                                 : "no point has a training (keys training.epochs, target)";
}

/* Of a target more than of a number of epochs, which throughput says as well. */
static int says(const struct dts_report *report)
{
    const struct dts_result *point = first(report);
    return point == NULL || report->listed ? 0 : isfinite(point->training.time_low_s) ? 10 : 2;
}

static double low_s(const struct dts_result *point)
{
    const double low_s = point->training.time_low_s;
    return isfinite(low_s) ? low_s : point->training.time_s;
}

static double high_s(const struct dts_result *point)
{
    const double high_s = point->training.time_high_s;
    return isfinite(high_s) ? high_s : point->training.time_s;
}

/* $pI: devices, batch, time, its interval, mark; $published: devices, batch, time, mark. */
static void add_data(struct dts_draw *draw, const struct dts_series *series, int count,
                     const struct dts_time_unit *unit)
{
    char name[DTS_TEXT_POINT];
    for (int s = 0; s < count; s++) {
        dts_draw(draw, "$p%d << EOD\n", s);
        for (int i = 0; i < series[s].count; i++) {
            const struct dts_result *point = series[s].points[i];
            if (!has_time(point))
                continue;
            dts_draw(draw, "%d %d", point->devices, point->global_batch);
            dts_draw_number(draw, unit->scale * point->training.time_s);
            dts_draw_number(draw, unit->scale * low_s(point));
            dts_draw_number(draw, unit->scale * high_s(point));
            const struct dts_time_unit *own = dts_time_unit_training(high_s(point));
            dts_draw_mark(draw, "%s, batch %d: %.3g %s (%.3g to %.3g)",
                          dts_text_point(point, name), point->global_batch,
                          own->scale * point->training.time_s, own->name,
                          own->scale * low_s(point), own->scale * high_s(point));
        }
        dts_draw(draw, "EOD\n");
    }
    dts_draw(draw, "$published << EOD\n");
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++) {
            const struct dts_result *point = series[s].points[i];
            const double known_s = dts_series_published(point, "time_s");
            if (!isfinite(known_s))
                continue;
            const struct dts_time_unit *own = dts_time_unit_training(known_s);
            dts_draw(draw, "%d %d", point->devices, point->global_batch);
            dts_draw_number(draw, unit->scale * known_s);
            dts_draw_mark(draw, "published, %s: %.3g %s", dts_text_point(point, name),
                          own->scale * known_s, own->name);
        }
    dts_draw(draw, "EOD\n");
}

static void set_batches(struct dts_draw *draw, const struct dts_report *report)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < report->count; i++)
        if (has_time(&report->points[i])) {
            low = fmin(low, report->points[i].global_batch);
            high = fmax(high, report->points[i].global_batch);
        }
    dts_draw_log_axis(draw, "x", low, high, true);
}

static void panel(struct dts_draw *draw, int count, int column, bool published)
{
    bool begun = false;
    for (int s = 0; s < count; s++) {
        dts_draw_plot(draw, &begun);
        dts_draw(draw, "$p%d using %d:3 with lines", s, column);
        dts_series_style(draw, s, true, false);
        dts_draw(draw,
                 " notitle, \\\n     $p%d using %d:($4<$5?$3:NaN):4:5 with yerrorbars "
                 "pointtype 0 linewidth 2 linecolor rgb \"%s\" notitle, \\\n     "
                 "$p%d using %d:3:6 with labels hypertext point",
                 s, column, dts_draw_colour(s), s, column);
        dts_series_style(draw, s, false, true);
        dts_draw(draw, " notitle");
    }
    if (published)
        dts_draw(draw,
                 ", \\\n     $published using %d:3:4 with labels hypertext "
                 "point " DTS_SERIES_PUBLISHED " notitle",
                 column);
}

/* From the shortest time to the longest, and of what was published. */
static struct dts_time_axis find_times(const struct dts_report *report, bool *published)
{
    double low = INFINITY, high = 0;
    *published = false;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!has_time(point))
            continue;
        const double known_s = dts_series_published(point, "time_s");
        *published = *published || isfinite(known_s);
        low = fmin(fmin(low, low_s(point)), isfinite(known_s) ? known_s : INFINITY);
        high = fmax(fmax(high, high_s(point)), isfinite(known_s) ? known_s : 0);
    }
    return dts_time_axis(low, high);
}

/* "Time to 75.9 % top-1 accuracy" */
static void head(struct dts_draw *draw, const struct dts_report *report, const char *unit)
{
    const struct dts_result *point = first(report);
    struct dts_text title = {0};
    if (point->target.goal[0] != '\0')
        dts_text_add(&title, "Time to %s", point->target.goal);
    else {
        dts_text_add(&title, "Time of ");
        if (!dts_text_add_common_epochs(&title, report))
            dts_text_add(&title, "the training");
    }
    dts_text_add(&title, "%s", unit);
    dts_draw_head(draw, report, dts_text_string(&title));
    dts_text_free(&title);
}

static bool differ(const struct dts_report *report, bool batch)
{
    const struct dts_result *one = first(report);
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (has_time(point) &&
            (batch ? point->global_batch != one->global_batch : point->devices != one->devices))
            return true;
    }
    return false;
}

/* Over devices, and beside it over the batch; over what does not differ there is no panel. */
static void draw_curves(struct dts_draw *draw, const struct dts_report *report)
{
    enum { HALF = 9, WHOLE = 20 }; // tics that a panel has room for
    struct dts_series *series;
    bool more, published;
    const struct dts_time_axis times = find_times(report, &published);
    const bool devices = differ(report, false), batch = differ(report, true);
    const int count = dts_series_find(report, &series, &more);
    add_data(draw, series, count, times.unit);
    draw->height = 520;
    dts_draw(draw,
             "set multiplot\nset tmargin at screen 0.86\nset bmargin at screen 0.13\n"
             "set lmargin at screen 0.075\nset rmargin at screen %s\n"
             "set key at screen " DTS_SERIES_KEY ", screen 0.87 left top " DTS_SERIES_FONT "\n",
             devices && batch ? "0.39" : DTS_SERIES_EDGE);
    dts_time_axis_label(draw, "y", &times, "time");
    head(draw, report, "");
    dts_series_more(draw, more);
    dts_series_refused(draw, report);
    dts_series_keys(draw, series, count);
    dts_time_axis_draw(draw, "y", &times, true);
    if (devices) {
        dts_draw(draw, "set logscale x\nset xlabel \"devices\"\n");
        dts_series_devices(draw, series, count, batch ? HALF : WHOLE);
        panel(draw, count, 1, published);
        dts_series_legend(draw, series, count, published);
        dts_draw(draw, "\nunset label 1\nunset label 2\n");
    }
    if (devices && batch) {
        dts_draw(draw, "unset ylabel\nunset key\nset lmargin at screen 0.42\n"
                       "set rmargin at screen " DTS_SERIES_EDGE "\n");
        dts_time_axis_draw(draw, "y", &times, false);
    }
    if (batch) {
        dts_draw(draw, "set xlabel \"samples in a batch\"\n");
        set_batches(draw, report);
        panel(draw, count, 2, published);
        if (!devices)
            dts_series_legend(draw, series, count, published);
        dts_draw(draw, "\n");
    }
    dts_draw(draw, "unset multiplot\n");
    dts_series_free(series, count);
}

/* Of points with the same devices and batch: one below the other. */
static void draw_rows(struct dts_draw *draw, const struct dts_report *report)
{
    enum { ROW = 26, AROUND = 136, NAME = 44, SHOWN = 48 };
    char name[DTS_TEXT_POINT];
    int rows = 0;
    double longest_s = 0;
    for (int i = 0; i < report->count; i++)
        if (has_time(&report->points[i]))
            longest_s = fmax(longest_s, high_s(&report->points[i]));
    const struct dts_time_unit *unit = dts_time_unit_training(longest_s);
    dts_draw(draw, "$p << EOD\n");
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!has_time(point) || rows == SHOWN)
            continue;
        dts_draw(draw, "%d", -rows++);
        dts_draw_number(draw, unit->scale * point->training.time_s);
        dts_draw_number(draw, unit->scale * low_s(point));
        dts_draw_number(draw, unit->scale * high_s(point));
        dts_draw_mark(draw, "%s: %.3g %s (%.3g to %.3g)", dts_text_point(point, name),
                      unit->scale * point->training.time_s, unit->name,
                      unit->scale * low_s(point), unit->scale * high_s(point));
    }
    dts_draw(draw, "EOD\nset ytics (");
    rows = 0;
    for (int i = 0; i < report->count; i++) {
        if (!has_time(&report->points[i]) || rows == SHOWN)
            continue;
        dts_draw(draw, "%s", rows > 0 ? ", " : "");
        dts_draw_tic(draw, dts_text_point(&report->points[i], name), NAME);
        dts_draw(draw, " %d", -rows++);
    }
    draw->height = AROUND + ROW * rows;
    dts_draw(draw,
             ")\nset tmargin 4.8\nunset key\nset xrange [0:%.12g]\nset yrange [%.3g:0.6]\n",
             1.05 * unit->scale * longest_s, 0.4 - rows);
    char in[24];
    snprintf(in, sizeof(in), " [%s]", unit->name);
    head(draw, report, in);
    dts_draw(draw,
             "plot $p using 2:1:3:4 with xerrorbars pointtype 0 linewidth 2 linecolor rgb "
             "\"%s\", \\\n     $p using 2:1:5 with labels hypertext point pointtype 7 "
             "pointsize 0.9 linecolor rgb \"%s\"\n",
             dts_draw_colour(0), dts_draw_colour(0));
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    if (differ(report, false) || differ(report, true))
        draw_curves(draw, report);
    else
        draw_rows(draw, report);
    return true;
}

const struct dts_plot dts_plot_target = {
    .name = "target",
    .summary = "the time of a training or to a target, over devices and over the batch",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

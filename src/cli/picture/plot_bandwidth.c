/* plot_bandwidth.c -- the bus bandwidth of collectives alone, over their bytes, or over devices
 * where all have the same bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/picture/plot.h"
#include "cli/picture/series.h"
#include "cli/print/text_notes.h"

static bool has(const struct dts_result *point)
{
    return !dts_result_refused(point) && isfinite(point->busbw_bytes_s);
}

/* That the collective sums or moves: rate times time; to 9 digits, which rounds off what that
 * product adds. */
static double bytes_of(const struct dts_result *point)
{
    char text[32];
    snprintf(text, sizeof(text), "%.9g", point->algbw_bytes_s * point->step.total_s);
    return strtod(text, NULL);
}

/* The first point that has one; NULL: none has. */
static const struct dts_result *first(const struct dts_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (has(&report->points[i]))
            return &report->points[i];
    return NULL;
}

static bool bytes_differ(const struct dts_report *report)
{
    const struct dts_result *one = first(report);
    for (int i = 0; i < report->count; i++)
        if (has(&report->points[i]) && bytes_of(&report->points[i]) != bytes_of(one))
            return true;
    return false;
}

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    return first(report) != NULL ? NULL : "no point is a collective alone";
}

static int says(const struct dts_report *report)
{
    if (first(report) == NULL)
        return 0;
    return bytes_differ(report) || dts_report_scales(report) ? 8 : 1;
}

/* Points of one line: the same strategy, over bytes also the same devices. */
static bool same_line(const struct dts_result *a, const struct dts_result *b, bool bytes)
{
    return strcmp(a->strategy, b->strategy) == 0 &&
           (bytes ? a->devices == b->devices : strcmp(a->setting, b->setting) == 0);
}

static double x_of(const struct dts_result *point, bool bytes)
{
    return bytes ? bytes_of(point) : point->devices;
}

/* $pI: bytes or devices, GB/s, mark; from the left. Sets the points of the line to NULL. */
static void add_line(struct dts_draw *draw, const struct dts_result **points, int count,
                     int from, int number, bool bytes)
{
    const struct dts_result *one = points[from];
    char name[DTS_TEXT_POINT];
    dts_draw(draw, "$p%d << EOD\n", number);
    for (;;) {
        int least = -1;
        for (int i = from; i < count; i++)
            if (points[i] != NULL && same_line(points[i], one, bytes) &&
                (least < 0 || x_of(points[i], bytes) < x_of(points[least], bytes)))
                least = i;
        if (least < 0)
            break;
        dts_draw_number(draw, x_of(points[least], bytes));
        dts_draw_number(draw, 1e-9 * points[least]->busbw_bytes_s);
        dts_draw_mark(draw, "%s: %.4g GB/s of bus bandwidth, %.4g ms for %.4g MB",
                      dts_text_point(points[least], name), 1e-9 * points[least]->busbw_bytes_s,
                      1e3 * points[least]->step.total_s, 1e-6 * bytes_of(points[least]));
        points[least] = NULL;
    }
    dts_draw(draw, "EOD\n");
}

static void set_axes(struct dts_draw *draw, const struct dts_report *report, bool bytes)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {0};
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!has(point))
            continue;
        const double xy[] = {x_of(point, bytes), 1e-9 * point->busbw_bytes_s};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], xy[k]);
            high[k] = fmax(high[k], xy[k]);
        }
    }
    dts_draw_log_axis(draw, "x", low[0], high[0], true);
    dts_draw(draw,
             "set yrange [0:%.12g]\nset xlabel \"%s\"\nset ylabel \"bus bandwidth [GB/s]\"\n",
             1.08 * high[1], bytes ? "bytes" : "devices");
}

static void add_plot(struct dts_draw *draw, char (*names)[DTS_SERIES_NAME], int lines)
{
    bool begun = false;
    for (int l = 0; l < lines; l++) {
        dts_draw_plot(draw, &begun);
        dts_draw(draw, "$p%d using 1:2 with lines", l);
        dts_series_style(draw, l, true, false);
        dts_draw(draw, " notitle, \\\n     $p%d using 1:2:3 with labels hypertext point", l);
        dts_series_style(draw, l, false, true);
        dts_draw(draw, " title ");
        dts_series_word(draw, names[l]);
    }
    dts_draw(draw, "\n");
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    const int most = 4000; // points: each looks for its next
    const int count = report->count < most ? report->count : most;
    const bool bytes = bytes_differ(report);
    const struct dts_result **points = dts_alloc((size_t)count + 1, sizeof(*points));
    char names[DTS_SERIES_SHOWN][DTS_SERIES_NAME];
    int lines = 0;
    for (int i = 0; i < count; i++)
        points[i] = has(&report->points[i]) ? &report->points[i] : NULL;
    for (int i = 0; i < count && lines < DTS_SERIES_SHOWN; i++) {
        if (points[i] == NULL)
            continue;
        if (bytes)
            snprintf(names[lines], DTS_SERIES_NAME, "%s, %d device%s", points[i]->strategy,
                     points[i]->devices, dts_plural(points[i]->devices));
        else
            snprintf(names[lines], DTS_SERIES_NAME, "%s", points[i]->strategy);
        add_line(draw, points, count, i, lines++, bytes);
    }
    dts_draw(draw, "set lmargin at screen 0.085\nset rmargin at screen " DTS_SERIES_EDGE "\n"
                   "set tmargin at screen 0.87\nset bmargin at screen 0.12\n"
                   "set key at screen " DTS_SERIES_KEY
                   ", screen 0.875 left top " DTS_SERIES_FONT "\n");
    dts_draw_head(draw, report, "Bus bandwidth of a collective alone");
    set_axes(draw, report, bytes);
    add_plot(draw, names, lines);
    free(points);
    return true;
}

const struct dts_plot dts_plot_bandwidth = {
    .name = "bandwidth",
    .summary = "the bus bandwidth of collectives alone, over bytes or devices",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

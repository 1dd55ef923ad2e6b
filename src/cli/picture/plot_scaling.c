/* plot_scaling.c -- throughput and efficiency over devices, beside what is ideal and what was
 * published. */
#include <math.h>
#include <string.h>

#include "cli/picture/plot.h"
#include "cli/picture/series.h"
#include "cli/print/text_notes.h"

#define IDEAL "linewidth 1 dashtype 2 linecolor rgb \"#888888\""

static bool is_rate(const struct dts_result *point)
{
    return !dts_result_refused(point) && isfinite(point->throughput_samples_per_s);
}

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    for (int i = 0; i < report->count; i++)
        if (is_rate(&report->points[i]))
            return NULL;
    return "no point has a throughput";
}

static int says(const struct dts_report *report)
{
    return dts_report_scales(report) && !report->listed ? 9 : 0;
}

/* $pI: devices, throughput, efficiency in percent, ideal throughput, two marks. */
static void add_points(struct dts_draw *draw, const struct dts_report *report,
                       const struct dts_series *series, int number)
{
    const char *sample = report->sample != NULL ? report->sample : "sample";
    const struct dts_result *first = series->points[0];
    dts_draw(draw, "$p%d << EOD\n", number);
    for (int i = 0; i < series->count; i++) {
        const struct dts_result *point = series->points[i];
        char name[DTS_TEXT_POINT];
        if (!is_rate(point))
            continue;
        dts_draw(draw, "%d", point->devices);
        dts_draw_number(draw, point->throughput_samples_per_s);
        dts_draw_number(draw, 100 * point->scaling_efficiency);
        dts_draw_number(draw,
                        first->throughput_samples_per_s / first->devices * point->devices);
        char share[40] = "";
        if (isfinite(point->scaling_efficiency))
            snprintf(share, sizeof(share), ", efficiency %.3g %%",
                     100 * point->scaling_efficiency);
        dts_draw_mark(draw, "%s: %.4g %ss per second%s", dts_text_point(point, name),
                      point->throughput_samples_per_s, sample, share);
    }
    dts_draw(draw, "EOD\n");
}

/* In samples a second: as it stands there, or by the time of a step. */
static double published_rate(const struct dts_result *point)
{
    const double rate = dts_series_published(point, "throughput_samples_per_s"),
                 step_s = dts_series_published(point, "step_s");
    return isfinite(rate) ? rate : point->global_batch / step_s;
}

/* $rI: devices, throughput and efficiency in percent that were published. Returns whether there
 * are rates (1) and efficiencies (2). */
static int add_published(struct dts_draw *draw, const struct dts_series *series, int number)
{
    int found = 0;
    dts_draw(draw, "$r%d << EOD\n", number);
    for (int i = 0; i < series->count; i++) {
        const struct dts_result *point = series->points[i];
        const double rate = published_rate(point),
                     efficiency = 100 * dts_series_published(point, "scaling_efficiency");
        char name[DTS_TEXT_POINT];
        if (!isfinite(rate) && !isfinite(efficiency))
            continue;
        found |= (isfinite(rate) ? 1 : 0) | (isfinite(efficiency) ? 2 : 0);
        dts_draw(draw, "%d", point->devices);
        dts_draw_number(draw, rate);
        dts_draw_number(draw, efficiency);
        dts_draw_mark(draw, "published, %s: %.4g", dts_text_point(point, name),
                      isfinite(rate) ? rate : efficiency);
    }
    dts_draw(draw, "EOD\n");
    return found;
}

/* Points that all have the same devices have no efficiency. */
static bool has_efficiency(const struct dts_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (is_rate(&report->points[i]) && isfinite(report->points[i].scaling_efficiency))
            return true;
    return false;
}

/* One panel: `column` of the data of every series, below it what is ideal (0: nothing is),
 * above it what was published. */
static void panel(struct dts_draw *draw, int count, const int *found, int column, int ideal)
{
    bool begun = false;
    for (int s = 0; s < count && ideal > 0; s++) {
        dts_draw_plot(draw, &begun);
        dts_draw(draw, "$p%d using 1:%d with lines " IDEAL " notitle", s, ideal);
    }
    for (int s = 0; s < count; s++) {
        dts_draw_plot(draw, &begun);
        dts_draw(draw, "$p%d using 1:%d with lines", s, column);
        dts_series_style(draw, s, true, false);
        dts_draw(draw, " notitle, \\\n     $p%d using 1:%d:5 with labels hypertext point", s,
                 column);
        dts_series_style(draw, s, false, true);
        dts_draw(draw, " notitle");
    }
    for (int s = 0; s < count; s++) {
        if ((found[s] & (column == 2 ? 1 : 2)) == 0)
            continue;
        dts_draw_plot(draw, &begun);
        dts_draw(draw,
                 "$r%d using 1:%d:4 with labels hypertext point " DTS_SERIES_PUBLISHED
                 " notitle",
                 s, column);
    }
}

/* Of throughputs, ideal and published ones, too. */
static void find_range(const struct dts_series *series, double *low, double *high)
{
    const struct dts_result *first = series->points[0];
    for (int i = 0; i < series->count; i++) {
        const struct dts_result *point = series->points[i];
        const double all[] = {point->throughput_samples_per_s, published_rate(point),
                              first->throughput_samples_per_s / first->devices *
                                  point->devices};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
            *low = isfinite(all[k]) ? fmin(*low, all[k]) : *low;
            *high = isfinite(all[k]) ? fmax(*high, all[k]) : *high;
        }
    }
}

/* The upper panel, or the only one. */
static void throughput(struct dts_draw *draw, const struct dts_report *report,
                       const struct dts_series *series, int count, const int *found, bool alone)
{
    enum { UNIT = 30 }; // bytes
    struct dts_text label = {0};
    bool published = false;
    for (int s = 0; s < count; s++)
        published = published || found[s] != 0;
    dts_draw_head(draw, report,
                  alone ? "Throughput of points that have the same devices"
                        : "Throughput and efficiency over devices");
    dts_draw(draw, "set ylabel ");
    dts_text_add(&label, "%ss per second", report->sample != NULL ? report->sample : "sample");
    dts_draw_word(draw, dts_text_string(&label), UNIT);
    dts_draw(draw, "\n");
    panel(draw, count, found, 2, alone ? 0 : 4);
    if (!alone)
        dts_draw(draw, ", \\\n     keyentry with lines " IDEAL " title \"ideal\"");
    dts_series_legend(draw, series, count, published);
    dts_text_free(&label);
}

static void efficiency(struct dts_draw *draw, int count, const int *found)
{
    dts_draw(draw,
             "\nunset label 1\nunset label 2\nunset logscale y\nset ytics autofreq\nunset key\n"
             "set tmargin at screen 0.37\nset bmargin at screen 0.095\n"
             "set yrange [0:*]\nset format y \"%%g\"\nset ylabel \"efficiency [%%]\"\n"
             "set xlabel \"devices\"\n");
    panel(draw, count, found, 3, 0);
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    enum { ROOMY = 8 }; // lines of a legend that stay apart
    struct dts_series *series;
    bool more;
    int found[DTS_SERIES_SHOWN] = {0};
    const int count = dts_series_find(report, &series, &more);
    const bool alone = !has_efficiency(report);
    double low = INFINITY, high = 0;
    for (int s = 0; s < count; s++) {
        add_points(draw, report, &series[s], s);
        find_range(&series[s], &low, &high);
        found[s] = add_published(draw, &series[s], s);
    }
    draw->height = alone ? 480 : 680;
    dts_draw(draw,
             "set multiplot\n"
             "set lmargin at screen 0.085\nset rmargin at screen " DTS_SERIES_EDGE "\n"
             "set tmargin at screen %s\nset bmargin at screen %s\n"
             "set key at screen " DTS_SERIES_KEY ", screen %s left top " DTS_SERIES_FONT
             " spacing %s\nset logscale x\n",
             alone ? "0.85" : "0.885", alone ? "0.14\nset xlabel \"devices\"" : "0.43",
             alone ? "0.86" : "0.89", count > ROOMY ? "1.05" : "1.3");
    dts_series_devices(draw, series, count, 20);
    dts_draw_log_axis(draw, "y", low, high, true);
    dts_series_more(draw, more);
    dts_series_refused(draw, report);
    dts_series_keys(draw, series, count);
    throughput(draw, report, series, count, found, alone);
    if (!alone)
        efficiency(draw, count, found);
    dts_draw(draw, "\nunset multiplot\n");
    dts_series_free(series, count);
    return true;
}

const struct dts_plot dts_plot_scaling = {
    .name = "scaling",
    .summary = "throughput and efficiency over devices",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

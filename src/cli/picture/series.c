/* series.c -- points of one strategy and setting. */
#include "cli/picture/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/print/text_notes.h"

static bool same(const struct dts_result *a, const struct dts_result *b)
{
    return strcmp(a->strategy, b->strategy) == 0 && strcmp(a->setting, b->setting) == 0;
}

static int by_devices(const void *a, const void *b)
{
    const struct dts_result *x = *(const struct dts_result *const *)a,
                            *y = *(const struct dts_result *const *)b;
    return x->devices != y->devices ? (x->devices > y->devices) - (x->devices < y->devices)
                                    : (x > y) - (x < y);
}

/* What tells the series apart: the strategy, unless all have the same; the setting if there is
 * one. */
static void name(struct dts_series *series, bool strategies)
{
    const struct dts_result *point = series->points[0];
    char setting[256];
    const bool set = point->setting[0] != '\0';
    snprintf(series->name, sizeof(series->name), "%s%s%s",
             strategies || !set ? point->strategy : "", strategies && set ? ", " : "",
             set ? dts_text_setting(point->setting, setting, sizeof(setting)) : "");
}

static const double legend_room = 17; // widths of an "M" beside the mark

/* Of "batch.per_device=8, steps=3" the values, "8, 3", or what they are of. */
static void part(const char *setting, bool values, char text[DTS_SERIES_NAME])
{
    size_t used = 0;
    text[0] = '\0';
    while (*setting != '\0' && used < DTS_SERIES_NAME - 1) {
        const size_t path = strcspn(setting, "=");
        const char *value = setting + path + (setting[path] == '='), *end = strstr(value, ", "),
                   *key = setting;
        if (end == NULL)
            end = value + strlen(value);
        for (size_t i = 0; i < path; i++)
            key = setting[i] == '.' ? setting + i + 1 : key;
        const char *from = values ? value : key, *to = values ? end : setting + path;
        used += (size_t)snprintf(text + used, DTS_SERIES_NAME - used, "%s%.*s",
                                 used > 0 ? ", " : "", (int)(to - from), from);
        setting = end + strspn(end, ", ");
    }
}

/* Names that a legend has no room for are of values alone, where all are of the same keys. */
static void shorten(struct dts_series *all, int count, bool strategies)
{
    bool fit = true, same_keys = true;
    for (int s = 0; s < count; s++) {
        const char *setting = all[s].points[0]->setting;
        part(setting, false, all[s].keys);
        fit = fit && dts_draw_width(all[s].name) <= legend_room;
        same_keys =
            same_keys && strchr(setting, '=') != NULL && strcmp(all[s].keys, all[0].keys) == 0;
    }
    for (int s = 0; s < count; s++) {
        char values[DTS_SERIES_NAME];
        part(all[s].points[0]->setting, true, values);
        if (fit || !same_keys)
            all[s].keys[0] = '\0';
        else
            snprintf(all[s].name, sizeof(all[s].name), "%.90s%s%.100s",
                     strategies ? all[s].points[0]->strategy : "", strategies ? ", " : "",
                     values);
    }
}

void dts_series_keys(struct dts_draw *draw, const struct dts_series *series, int count)
{
    if (count == 0 || series[0].keys[0] == '\0')
        return;
    dts_draw(draw, "set label 4 at screen " DTS_SERIES_KEY ", screen 0.92 left " DTS_SERIES_FONT
                   " textcolor rgb \"#555555\" ");
    dts_draw_fit(draw, series[0].keys, legend_room + 3);
    dts_draw(draw, "\n");
}

int dts_series_find(const struct dts_report *report, struct dts_series **series, bool *more)
{
    struct dts_series *all = dts_alloc(DTS_SERIES_SHOWN, sizeof(*all));
    int count = 0;
    bool strategies = false;
    *more = false;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        bool first = !dts_result_refused(point);
        for (int j = 0; j < i && first; j++)
            first = dts_result_refused(&report->points[j]) || !same(point, &report->points[j]);
        if (!first)
            continue;
        if (count == DTS_SERIES_SHOWN) {
            *more = true;
            break;
        }
        struct dts_series *one = &all[count++];
        one->points = dts_alloc((size_t)(report->count - i), sizeof(*one->points));
        for (int j = i; j < report->count; j++)
            if (!dts_result_refused(&report->points[j]) && same(point, &report->points[j]))
                one->points[one->count++] = &report->points[j];
        qsort(one->points, (size_t)one->count, sizeof(*one->points), by_devices);
        strategies = strategies || strcmp(point->strategy, all[0].points[0]->strategy) != 0;
    }
    for (int s = 0; s < count; s++)
        name(&all[s], strategies);
    shorten(all, count, strategies);
    *series = all;
    return count;
}

void dts_series_free(struct dts_series *series, int count)
{
    for (int s = 0; s < count; s++)
        free(series[s].points);
    free(series);
}

void dts_series_style(struct dts_draw *draw, int i, bool lines, bool points)
{
    /* Filled ones first; those of one colour differ in kind. */
    static const int kinds[DTS_SERIES_SHOWN] = {7, 5, 9, 11, 13, 6, 4, 8,
                                                6, 4, 8, 10, 12, 7, 5, 9};
    if (points)
        dts_draw(draw, " pointtype %d pointsize 0.7", kinds[i % DTS_SERIES_SHOWN]);
    if (lines)
        dts_draw(draw, " linewidth 2 dashtype %d", i < DTS_DRAW_COLOURS ? 1 : 2);
    dts_draw(draw, " linecolor rgb \"%s\"", dts_draw_colour(i));
}

double dts_series_published(const struct dts_result *point, const char *metric)
{
    if (strcmp(point->reference.metric, metric) == 0)
        return point->reference.value;
    for (int i = 0; i < point->more_count; i++)
        if (strcmp(point->more[i].metric, metric) == 0)
            return point->more[i].value;
    return NAN;
}

void dts_series_more(struct dts_draw *draw, bool more)
{
    if (more)
        dts_draw(draw,
                 "set label 3 at screen " DTS_SERIES_KEY
                 ", screen 0.04 left textcolor rgb \"#555555\" "
                 "\"the first %d lines\"\n",
                 DTS_SERIES_SHOWN);
}

void dts_series_refused(struct dts_draw *draw, const struct dts_report *report)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        count += dts_result_refused(&report->points[i]);
    if (count > 0)
        dts_draw(draw,
                 "set label 5 at screen " DTS_SERIES_KEY ", screen 0.08 left " DTS_SERIES_FONT
                 " textcolor rgb \"#555555\" \"%d point%s not predicted\"\n",
                 count, dts_plural(count));
}

void dts_series_word(struct dts_draw *draw, const char *name)
{
    dts_draw_fit(draw, name, legend_room);
}

void dts_series_legend(struct dts_draw *draw, const struct dts_series *series, int count,
                       bool published)
{
    for (int s = 0; s < count; s++) {
        dts_draw(draw, ", \\\n     keyentry with linespoints");
        dts_series_style(draw, s, true, true);
        dts_draw(draw, " title ");
        dts_series_word(draw, series[s].name);
    }
    if (published)
        dts_draw(draw, ", \\\n     keyentry with points " DTS_SERIES_PUBLISHED
                       " title \"published\"");
}

void dts_series_devices(struct dts_draw *draw, const struct dts_series *series, int count,
                        int room)
{
    int all = 0;
    for (int s = 0; s < count; s++)
        all += series[s].count;
    double *devices = dts_alloc((size_t)all, sizeof(*devices));
    all = 0;
    for (int s = 0; s < count; s++)
        for (int i = 0; i < series[s].count; i++)
            devices[all++] = series[s].points[i]->devices;
    dts_draw_log_tics(draw, "x", devices, all, room);
    dts_draw(draw, "set xrange [%.12g:%.12g]\n", devices[0] / 1.15, devices[all - 1] * 1.15);
    free(devices);
}

bool dts_report_scales(const struct dts_report *report)
{
    for (int i = 1; i < report->count; i++)
        if (report->points[i].devices != report->points[0].devices)
            return true;
    return false;
}

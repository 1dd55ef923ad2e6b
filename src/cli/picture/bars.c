/* bars.c -- stacked bars, lying: their names may be long. */
#include "cli/picture/bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/print/text_notes.h"

enum { SHOWN = 48, NAME = 44, ROW = 24, AROUND = 150 }; // bars, bytes, heights

double dts_bars_largest(const struct dts_report *report,
                        double (*total)(const struct dts_result *point))
{
    double most = NAN;
    for (int i = 0; i < report->count; i++)
        if (!dts_result_refused(&report->points[i]))
            most = fmax(most, total(&report->points[i]));
    return most;
}

static double part_of(const struct dts_bar_part *part, const struct dts_result *point)
{
    const double value = dts_result_refused(point) ? 0 : part->value(point);
    return isfinite(value) && value > 0 ? value : 0;
}

/* $bars: row, then where each part ends; $areas: each part. */
static int add_data(struct dts_draw *draw, const struct dts_result *const *points, int count,
                    const struct dts_bars *bars)
{
    int parts = 0;
    dts_draw(draw, "$bars << EOD\n");
    for (int row = 0; row < count; row++) {
        double end = 0;
        if (dts_result_refused(points[row]))
            continue;
        dts_draw(draw, "%d", -row);
        dts_draw_number(draw, 0);
        for (parts = 0; bars->parts[parts].name != NULL; parts++) {
            end += bars->scale * part_of(&bars->parts[parts], points[row]);
            dts_draw_number(draw, end);
        }
        dts_draw_number(draw, bars->scale * bars->total(points[row]));
        dts_draw(draw, "\n");
    }
    dts_draw(draw, "EOD\n$areas << EOD\n");
    for (int row = 0; row < count; row++) {
        double end = 0;
        if (dts_result_refused(points[row]))
            continue;
        for (const struct dts_bar_part *part = bars->parts; part->name != NULL; part++) {
            const double value = bars->scale * part_of(part, points[row]);
            const double from[2] = {end, -row - 0.36}, to[2] = {end + value, 0.36 - row};
            char name[DTS_TEXT_POINT];
            if (value > 0)
                dts_draw_area(draw, from, to, "%s: %s %.4g %s of %.4g",
                              dts_text_point(points[row], name), part->name, value, bars->unit,
                              bars->scale * bars->total(points[row]));
            end += value;
        }
    }
    dts_draw(draw, "EOD\n");
    return parts;
}

/* "does not fit: 22.5 GB needed on a device of 17.2 GB" */
static void add_reason(struct dts_draw *draw, const struct dts_result *point)
{
    enum { WHY = 90 }; // bytes
    static const char fit[] = "does not fit: ";
    const char *fits = strstr(point->error.text, fit);
    struct dts_text why = {0};
    if (fits == NULL)
        dts_text_add(&why, "not predicted");
    else
        dts_text_add_bytes(&why, fits, strlen(fit) + strcspn(fits + strlen(fit), ":"));
    dts_draw_word(draw, dts_text_string(&why), WHY);
    dts_text_free(&why);
}

/* $refused: row, why there is no bar. Returns how many such rows there are. */
static int add_refused(struct dts_draw *draw, const struct dts_result *const *points, int count)
{
    int found = 0;
    for (int row = 0; row < count; row++) {
        if (!dts_result_refused(points[row]))
            continue;
        dts_draw(draw, "%s%d ", found++ == 0 ? "$refused << EOD\n" : "", -row);
        add_reason(draw, points[row]);
        dts_draw(draw, "\n");
    }
    dts_draw(draw, "%s", found > 0 ? "EOD\n" : "");
    return found;
}

static bool is_used(const struct dts_bar_part *part, const struct dts_result *const *points,
                    int count)
{
    for (int i = 0; i < count; i++)
        if (part_of(part, points[i]) > 0)
            return true;
    return false;
}

static void add_plot(struct dts_draw *draw, const struct dts_result *const *points, int count,
                     const struct dts_bars *bars, int parts, int refused)
{
    dts_draw(draw, "plot ");
    for (int p = 0; p < parts; p++) {
        if (!is_used(&bars->parts[p], points, count))
            continue;
        dts_draw(
            draw,
            "$bars using %d:1:%d:%d:($1-0.36):($1+0.36) with boxxyerror linecolor rgb \"%s\" "
            "title \"%s\", \\\n     ",
            p + 3, p + 2, p + 3, bars->parts[p].colour, bars->parts[p].name);
    }
    dts_draw(draw,
             "$bars using %d:1:(sprintf(\" %%.4g\", $%d)) with labels left offset character "
             "0.5, 0 textcolor rgb "
             "\"#333333\" notitle, \\\n     ",
             parts + 3, parts + 3);
    if (refused > 0)
        dts_draw(draw, "$refused using (0):1:2 with labels left offset character 0.5, 0 "
                       "textcolor rgb \"#666666\" notitle, \\\n     ");
    dts_draw_areas(draw, "areas");
    dts_draw(draw, "\n");
}

/* The points that have a bar, or that were refused. Returns how many; *more: those beyond
 * SHOWN. */
static int choose(const struct dts_report *report, const struct dts_bars *bars,
                  const struct dts_result *points[SHOWN], int *more)
{
    int count = 0;
    *more = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!dts_result_refused(point) && !isfinite(bars->total(point)))
            continue;
        if (count < SHOWN)
            points[count++] = point;
        else
            (*more)++;
    }
    return count;
}

static void add_names(struct dts_draw *draw, const struct dts_result *const *points, int count)
{
    dts_draw(draw, "set ytics (");
    for (int row = 0; row < count; row++) {
        char name[DTS_TEXT_POINT];
        dts_draw(draw, "%s", row > 0 ? ", " : "");
        dts_draw_tic(draw, dts_text_point(points[row], name), NAME);
        dts_draw(draw, " %d", -row);
    }
    dts_draw(draw, ")\nset yrange [%g:0.6]\n", 0.4 - count);
}

void dts_bars_draw(struct dts_draw *draw, const struct dts_report *report,
                   const struct dts_bars *bars)
{
    const struct dts_result *points[SHOWN];
    int more;
    const int count = choose(report, bars, points, &more);
    struct dts_text title = {0};
    dts_text_add(&title, "%s [%s]", bars->title, bars->unit);
    if (more > 0)
        dts_text_add(&title, " (%d more points are not shown)", more);
    draw->height = AROUND + ROW * count;
    dts_draw_head(draw, report, dts_text_string(&title));
    dts_draw(
        draw,
        "set tmargin 4.8\nset key outside bottom center horizontal samplen 1 font \",10\"\n"
        "set grid noytics\nset tics scale 0,0\nset border 1\n"
        "set xrange [0:%.12g]\n",
        1.08 * bars->scale * dts_bars_largest(report, bars->total));
    add_names(draw, points, count);
    const int parts = add_data(draw, points, count, bars);
    add_plot(draw, points, count, bars, parts, add_refused(draw, points, count));
    dts_text_free(&title);
}

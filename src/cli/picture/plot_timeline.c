/* plot_timeline.c -- one step of the last point: a row for each stream of each role. */
#include <math.h>
#include <sys/stat.h>

#include "cli/picture/plot.h"
#include "cli/picture/timeline.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

enum { SHOWN = 40, ROW = 24, AROUND = 150, NAME = 40, MOST_BYTES = 8 << 20 };

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    struct stat status;
    (void)report;
    if (drawing->trace == NULL || stat(drawing->trace, &status) != 0)
        return "the last point has no timeline";
    return status.st_size <= MOST_BYTES
               ? NULL
               : "its timeline has too many operations for a picture: --trace FILE shows them";
}

static int says(const struct dts_report *report)
{
    (void)report;
    return 1;
}

/* $kI: row, from, to, height of each span of a kind; $areas: all of them. */
static void add_data(struct dts_draw *draw, const struct dts_timeline *timeline,
                     const struct dts_time_unit *unit)
{
    for (int k = 0; dts_timeline_kinds[k].name != NULL; k++) {
        dts_draw(draw, "$k%d << EOD\n", k);
        for (int i = 0; i < timeline->span_count; i++) {
            const struct dts_timeline_span *span = &timeline->spans[i];
            if (span->kind == k && span->row < SHOWN)
                dts_draw(draw, "%d %.9g %.9g\n", -span->row, unit->scale * span->from_s,
                         unit->scale * span->to_s);
        }
        dts_draw(draw, "EOD\n");
    }
    dts_draw(draw, "$areas << EOD\n");
    for (int i = 0; i < timeline->span_count; i++) {
        const struct dts_timeline_span *span = &timeline->spans[i];
        const double from[2] = {unit->scale * span->from_s, -span->row - 0.38},
                     to[2] = {unit->scale * span->to_s, 0.38 - span->row};
        if (span->row >= SHOWN)
            continue;
        if (!timeline->sliced)
            dts_draw_area(draw, from, to, "%s%s: %.4g %s from %.4g on", span->name,
                          span->ahead ? " for the next step" : "", to[0] - from[0], unit->name,
                          from[0]);
        else
            dts_draw_area(draw, from, to, "mostly %s, such as %s: %.4g %s from %.4g on",
                          dts_timeline_kinds[span->kind].name, span->name, to[0] - from[0],
                          unit->name, from[0]);
    }
    dts_draw(draw, "EOD\n");
}

static void add_plot(struct dts_draw *draw, const struct dts_timeline *timeline)
{
    bool begun = false;
    for (int k = 0; dts_timeline_kinds[k].name != NULL; k++) {
        bool used = false;
        for (int i = 0; i < timeline->span_count && !used; i++)
            used = timeline->spans[i].kind == k && timeline->spans[i].row < SHOWN;
        if (!used)
            continue;
        dts_draw_plot(draw, &begun);
        dts_draw(draw,
                 "$k%d using 2:1:2:3:($1-0.38):($1+0.38) with boxxyerror linecolor rgb \"%s\" "
                 "title \"%s\"",
                 k, dts_timeline_kinds[k].colour, dts_timeline_kinds[k].name);
    }
    dts_draw_plot(draw, &begun);
    dts_draw_areas(draw, "areas");
    dts_draw(draw, "\n");
}

static void head(struct dts_draw *draw, const struct dts_report *report,
                 const struct dts_timeline *timeline, const struct dts_time_unit *unit)
{
    char name[DTS_TEXT_POINT];
    struct dts_text title = {0};
    dts_text_add(&title, "A step of %s [%s]",
                 dts_text_point(&report->points[report->count - 1], name), unit->name);
    if (timeline->row_count > SHOWN)
        dts_text_add(&title, " (the first %d streams)", SHOWN);
    dts_draw_head(draw, report, dts_text_string(&title));
    dts_text_free(&title);
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    struct dts_timeline timeline;
    if (!dts_timeline_read(&timeline, drawing->trace, err))
        return false;
    const struct dts_time_unit *unit = dts_time_unit_step(timeline.end_s);
    const int rows = timeline.row_count < SHOWN ? timeline.row_count : SHOWN;
    draw->height = AROUND + ROW * rows;
    head(draw, report, &timeline, unit);
    add_data(draw, &timeline, unit);
    dts_draw(
        draw,
        "set tmargin 4.8\nset key outside bottom center horizontal samplen 1 font \",10\"\n"
        "set grid noytics\nset tics scale 0,0\nset border 1\nset xrange [%.9g:%.9g]\n"
        "set yrange [%.3g:0.6]\n",
        unit->scale * timeline.begin_s, unit->scale * timeline.end_s, 0.4 - rows);
    if (timeline.begin_s < 0)
        dts_draw(draw, "set arrow 1 from 0, graph 0 to 0, graph 1 nohead front dashtype 2 "
                       "linecolor rgb \"#555555\"\n");
    dts_draw(draw, "set ytics (");
    for (int r = 0; r < rows; r++) {
        dts_draw(draw, "%s", r > 0 ? ", " : "");
        dts_draw_tic(draw, timeline.rows[r], NAME);
        dts_draw(draw, " %d", -r);
    }
    dts_draw(draw, ")\n");
    add_plot(draw, &timeline);
    dts_timeline_free(&timeline);
    return true;
}

const struct dts_plot dts_plot_timeline = {
    .name = "timeline",
    .summary = "one step of the last point, by role and stream",
    .timeline = true,
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

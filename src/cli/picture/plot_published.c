/* plot_published.c -- predictions against what was published or measured: how far each is off.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/live/comparison.h"
#include "base/mem.h"
#include "cli/picture/plot.h"
#include "cli/print/text_notes.h"

enum { SHOWN = 60, ROW = 22, AROUND = 130, NAME = 56 }; // rows, heights, bytes

/* A figure that a prediction is held against. */
struct figure {
    const struct dts_result *point;
    const char *metric, *source; // source NULL: it was measured, by a live run
    double known, predicted, error_percent;
};

static void add(struct figure *figures, int *count, const struct dts_result *point,
                const struct dts_held *held)
{
    if (*count < SHOWN && held->metric[0] != '\0' && isfinite(held->error_percent))
        figures[(*count)++] =
            (struct figure){point,       held->metric,    held->source,
                            held->value, held->predicted, held->error_percent};
}

static int find(const struct dts_report *report, struct figure figures[SHOWN])
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point))
            continue;
        add(figures, &count, point, &point->reference);
        for (int m = 0; m < point->more_count; m++)
            add(figures, &count, point, &point->more[m]);
        const struct dts_comparison *live = point->live;
        if (live != NULL && live->steps > 0 && count < SHOWN)
            figures[count++] = (struct figure){
                point,
                "step_s",
                NULL,
                live->measured.total_s,
                live->predicted.total_s,
                dts_error_percent(live->predicted.total_s, live->measured.total_s)};
    }
    return count;
}

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    struct figure figures[SHOWN];
    (void)drawing;
    return find(report, figures) > 0 ? NULL
                                     : "no point was published or measured (key references)";
}

/* Of a list of published cases it is what the list is for. */
static int says(const struct dts_report *report)
{
    return report->listed ? 12 : 4;
}

static void name(const struct dts_report *report, const struct figure *figure,
                 struct dts_text *text)
{
    char point[DTS_TEXT_POINT];
    if (report->listed)
        dts_text_add(text, "%s", figure->point->setting);
    else
        dts_text_add(text, "%s: %s", dts_text_point(figure->point, point), figure->metric);
}

/* $figures: row, error, published, predicted; $areas: the bars. Returns the largest error. */
static double add_data(struct dts_draw *draw, const struct dts_report *report,
                       const struct figure *figures, int count)
{
    double most = 10;
    dts_draw(draw, "$figures << EOD\n");
    for (int i = 0; i < count; i++) {
        dts_draw(draw, "%d", -i);
        dts_draw_number(draw, figures[i].error_percent);
        dts_draw_number(draw, figures[i].known);
        dts_draw_number(draw, figures[i].predicted);
        dts_draw(draw, "\n");
        most = fmax(most, fabs(figures[i].error_percent));
    }
    dts_draw(draw, "EOD\n$areas << EOD\n");
    for (int i = 0; i < count; i++) {
        const double from[2] = {-most, -i - 0.5}, to[2] = {most, 0.5 - i};
        struct dts_text words = {0};
        name(report, &figures[i], &words);
        dts_draw_area(draw, from, to, "%s: predicted %.4g, %s %.4g: %+.1f %%%s%s%s",
                      dts_text_string(&words), figures[i].predicted,
                      figures[i].source != NULL ? "published" : "measured", figures[i].known,
                      figures[i].error_percent, figures[i].source != NULL ? " (" : "",
                      figures[i].source != NULL ? figures[i].source : "",
                      figures[i].source != NULL ? ")" : "");
        dts_text_free(&words);
    }
    dts_draw(draw, "EOD\n");
    return most;
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    struct figure figures[SHOWN];
    const int count = find(report, figures);
    const double most = add_data(draw, report, figures, count);
    draw->height = AROUND + ROW * count;
    dts_draw_head(draw, report, "Predicted against known: how far off [%]");
    dts_draw(draw,
             "set tmargin 4.8\nunset key\nset grid noytics\nset tics scale 0,0\nset border 1\n"
             "set xrange [%.12g:%.12g]\nset yrange [%.12g:0.6]\n"
             "set object 1 rectangle from -10, graph 0 to 10, graph 1 behind fillcolor rgb "
             "\"#eef4ea\" fillstyle solid noborder\n"
             "set arrow 1 from 0, graph 0 to 0, graph 1 nohead back linecolor rgb \"#555555\"\n"
             "set ytics (",
             -1.3 * most, 1.3 * most, 0.4 - count);
    for (int i = 0; i < count; i++) {
        struct dts_text words = {0};
        name(report, &figures[i], &words);
        dts_draw(draw, "%s", i > 0 ? ", " : "");
        dts_draw_tic(draw, dts_text_string(&words), NAME);
        dts_draw(draw, " %d", -i);
        dts_text_free(&words);
    }
    dts_draw(
        draw,
        ")\nplot $figures using 2:1:(0):2:($1-0.1):($1+0.1) with boxxyerror linecolor rgb "
        "\"#0072b2\", \\\n     $figures using 2:1 with points pointtype 7 pointsize 0.8 "
        "linecolor rgb \"#0072b2\", \\\n     "
        "$figures using ($2<0?$2:NaN):1:(sprintf(\"%%+.1f \", $2)) with labels right offset "
        "character -0.8, 0, \\\n     "
        "$figures using ($2<0?NaN:$2):1:(sprintf(\" %%+.1f\", $2)) with labels left offset "
        "character 0.8, 0, \\\n     ");
    dts_draw_areas(draw, "areas");
    dts_draw(draw, "\n");
    return true;
}

const struct dts_plot dts_plot_published = {
    .name = "published",
    .summary = "how far predictions are off from what was published or measured",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

/* plot_staleness.c -- how many updates gradients were behind, a histogram for each point. */
#include <math.h>
#include <stdlib.h>

#include "cli/picture/plot.h"
#include "cli/print/text_notes.h"

enum { SHOWN = 8, PANEL = 122, ABOVE = 92, BELOW = 64, GAP = 38 }; // histograms; heights

static bool has(const struct dts_result *point)
{
    return !dts_result_refused(point) && point->staleness.bin_width > 0;
}

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    for (int i = 0; i < report->count; i++)
        if (has(&report->points[i]))
            return NULL;
    return "no point has late gradients (strategy ps with synchronous false)";
}

static int says(const struct dts_report *report)
{
    return lacks(report, NULL) == NULL ? 3 : 0;
}

/* Updates up to the last bin that has a share. */
static int reach(const struct dts_stale *stale)
{
    int bins = DTS_RESULT_BINS;
    while (bins > 1 && stale->share[bins - 1] == 0)
        bins--;
    return bins * stale->bin_width;
}

/* $sI: middle of a bin, share in percent, width; $aI: the bars. */
static void add_data(struct dts_draw *draw, const struct dts_result *point, int number)
{
    const struct dts_stale *stale = &point->staleness;
    const int bins = reach(stale) / stale->bin_width;
    char name[DTS_TEXT_POINT];
    dts_draw(draw, "$s%d << EOD\n", number);
    for (int b = 0; b < bins; b++) {
        dts_draw(draw, "%.12g", (b + 0.5) * stale->bin_width - 0.5);
        dts_draw_number(draw, 100 * stale->share[b]);
        dts_draw(draw, " %d\n", stale->bin_width);
    }
    dts_draw(draw, "EOD\n$a%d << EOD\n", number);
    for (int b = 0; b < bins; b++) {
        const int least = b * stale->bin_width, most = least + stale->bin_width - 1;
        const double from[2] = {least - 0.5, 0}, to[2] = {most + 0.5, 100 * stale->share[b]};
        char span[40];
        snprintf(span, sizeof(span), least == most ? "%d" : "%d to %d", least, most);
        if (stale->share[b] > 0)
            dts_draw_area(draw, from, to, "%s: %.3g %% are %s updates behind",
                          dts_text_point(point, name), 100 * stale->share[b], span);
    }
    dts_draw(draw, "EOD\n");
}

/* Its name, and the numbers that the text says. */
static void add_name(struct dts_draw *draw, const struct dts_result *point)
{
    char name[DTS_TEXT_POINT];
    struct dts_text words = {0};
    dts_text_add(&words, "%s: mean ", dts_text_point(point, name));
    dts_text_add_significant(&words, point->staleness.mean, 3);
    dts_text_add(&words, ", 95 %% at most %.0f, all at most %.0f", point->staleness.p95,
                 point->staleness.most);
    dts_draw(draw, "set label 3 at graph 0, graph 1 offset 0, character 0.7 left ");
    dts_draw_word(draw, dts_text_string(&words), 100);
    dts_draw(draw, "\n");
    dts_text_free(&words);
}

/* Between tics of a histogram, in percent: three or four of them. */
static double step_of(const struct dts_stale *stale)
{
    static const double steps[] = {50, 20, 10, 5, 2, 1, 0.5, 0.2};
    double most = 0;
    size_t i = 0;
    for (int b = 0; b < DTS_RESULT_BINS; b++)
        most = fmax(most, 100 * stale->share[b]);
    while (i + 1 < sizeof(steps) / sizeof(steps[0]) && most < 2 * steps[i])
        i++;
    return steps[i];
}

/* Between tics of updates, which are counted: a dozen tics at most. */
static int updates_apart(int most)
{
    static const int steps[] = {1, 2, 5};
    enum { TICS = 12, STEPS = sizeof(steps) / sizeof(steps[0]) };
    int ten = 1, i = 0;
    while (most / (steps[i] * ten) > TICS)
        if (++i == STEPS) {
            ten *= 10;
            i = 0;
        }
    return steps[i] * ten;
}

static void panel(struct dts_draw *draw, const struct dts_result *point, int number, int count)
{
    const double top = draw->height - ABOVE - PANEL * number, bottom = top - PANEL + GAP;
    char areas[16];
    snprintf(areas, sizeof(areas), "a%d", number);
    dts_draw(draw, "set tmargin at screen %.6g\nset bmargin at screen %.6g\n",
             top / draw->height, bottom / draw->height);
    add_name(draw, point);
    if (number == count - 1)
        dts_draw(draw, "set xlabel \"updates behind\"\nset format x \"%%g\"\n");
    dts_draw(draw, "set ytics %.12g\n", step_of(&point->staleness));
    dts_draw(draw, "plot $s%d using 1:2:3 with boxes linecolor rgb \"%s\" notitle, \\\n     ",
             number, dts_draw_colour(number));
    dts_draw_areas(draw, areas);
    dts_draw(draw, "\nunset label 1\nunset label 2\n");
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    const struct dts_result *points[SHOWN];
    int count = 0, most = 0;
    for (int i = 0; i < report->count && count < SHOWN; i++)
        if (has(&report->points[i])) {
            points[count] = &report->points[i];
            most = reach(&points[count]->staleness) > most ? reach(&points[count]->staleness)
                                                           : most;
            add_data(draw, points[count], count);
            count++;
        }
    draw->height = ABOVE + PANEL * count + BELOW - GAP;
    dts_draw(draw,
             "set multiplot\nset lmargin at screen 0.075\nset rmargin at screen 0.96\n"
             "set xrange [-0.6:%d.1]\nset yrange [0:*]\nset format y \"%%g %%%%\"\n"
             "set xtics %d\nset format x \"\"\n",
             most, updates_apart(most));
    dts_draw_head(draw, report, "How many updates gradients were behind");
    for (int i = 0; i < count; i++)
        panel(draw, points[i], i, count);
    dts_draw(draw, "unset multiplot\n");
    return true;
}

const struct dts_plot dts_plot_staleness = {
    .name = "staleness",
    .summary = "how many updates gradients were behind, a histogram for each point",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

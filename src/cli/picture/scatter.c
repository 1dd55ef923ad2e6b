/* scatter.c -- a point for each published case: what was published across, what was predicted
 * upwards, both logarithmic. On the line both are the same. */
#include "cli/picture/scatter.h"

#include <math.h>

enum { MARKED = 400 }; // points that say what they are; more are dots alone

/* Is it scored? Of other roles the figure went into predictions. */
static bool counts(const struct dts_validation *all, int i)
{
    return all->set->cases[i].role == DTS_CASE_PREDICTED &&
           isfinite(all->judged[i].predicted[DTS_KNOWS_ANCHOR]);
}

static const struct dts_family *family_of(const struct dts_validation *all, int i)
{
    return &all->set->families[all->set->cases[i].family];
}

int dts_scatter_count(const struct dts_validation *all)
{
    int count = 0;
    for (int i = 0; i < all->set->count; i++)
        count += counts(all, i);
    return count;
}

/* The unit of all of them, or that each has its own. */
static const char *unit_of(const struct dts_validation *all)
{
    static const char *const units[] = {
        [DTS_CASE_THROUGHPUT] = "samples per second",
        [DTS_CASE_STEP] = "seconds a step",
        [DTS_CASE_TRAIN] = "seconds of the training",
        [DTS_CASE_MEMORY] = "GiB",
        [DTS_CASE_MEMORY_FIRST] = "GiB",
    };
    const char *unit = NULL;
    for (int i = 0; i < all->set->count; i++) {
        if (!counts(all, i))
            continue;
        const char *own = units[family_of(all, i)->value];
        if (unit != NULL && unit != own)
            return "samples per second, seconds or GiB";
        unit = own;
    }
    return unit;
}

/* $cI: published, predicted, a mark. Returns how many points the class has. */
static int add_class(struct dts_draw *draw, const struct dts_validation *all, int class,
                     bool marked)
{
    int count = 0;
    dts_draw(draw, "$c%d << EOD\n", class);
    for (int i = 0; i < all->set->count; i++) {
        const struct dts_case *one = &all->set->cases[i];
        if (!counts(all, i) || (int)family_of(all, i)->class != class)
            continue;
        const struct dts_judged *judged = &all->judged[i];
        count++;
        dts_draw(draw, "%.12g", one->value);
        dts_draw_number(draw, judged->predicted[DTS_KNOWS_ANCHOR]);
        if (marked)
            dts_draw_mark(draw,
                          "%s[%d], %s, %d devices: predicted %.4g, published %.4g: %+.1f %%",
                          family_of(all, i)->name, one->row, one->words, one->devices,
                          judged->predicted[DTS_KNOWS_ANCHOR], one->value,
                          100 * judged->error[DTS_KNOWS_ANCHOR]);
        else
            dts_draw(draw, "\n");
    }
    dts_draw(draw, "EOD\n");
    return count;
}

static void find_range(const struct dts_validation *all, double *low, double *high)
{
    *low = INFINITY, *high = 0;
    for (int i = 0; i < all->set->count; i++) {
        if (!counts(all, i))
            continue;
        const double known = all->set->cases[i].value,
                     predicted = all->judged[i].predicted[DTS_KNOWS_ANCHOR];
        *low = fmin(*low, fmin(known, predicted));
        *high = fmax(*high, fmax(known, predicted));
    }
}

/* Both axes alike, the line, and what is off by a tenth. */
static void draw_axes(struct dts_draw *draw, const struct dts_validation *all)
{
    double low, high;
    find_range(all, &low, &high);
    dts_draw(draw, "set lmargin at screen 0.11\nset rmargin at screen 0.71\n"
                   "set tmargin at screen 0.88\nset bmargin at screen 0.11\n"
                   "set key at screen 0.73, screen 0.88 left top spacing 1.2\n");
    dts_draw_log_axis(draw, "x", low, high, true);
    dts_draw_log_axis(draw, "y", low, high, true);
    dts_draw(draw,
             "set xlabel \"published [%s]\"\nset ylabel \"predicted\"\n"
             "plot x with lines linewidth 1 linecolor rgb \"#555555\" title \"the same\", \\\n"
             "     1.1*x with lines linewidth 1 dashtype 2 linecolor rgb \"#888888\" title "
             "\"off by 10 %%\", \\\n"
             "     x/1.1 with lines linewidth 1 dashtype 2 linecolor rgb \"#888888\" notitle",
             unit_of(all));
}

void dts_scatter(const struct dts_validation *all, struct dts_draw *draw)
{
    const int count = dts_scatter_count(all);
    const bool marked = count <= MARKED;
    const struct dts_report head = {.scenario = "dtsim validate", .listed = true};
    int counts_of[DTS_CASE_CLASSES];
    for (int class = 0; class < DTS_CASE_CLASSES; class ++)
        counts_of[class] = add_class(draw, all, class, marked);
    draw->height = 600;
    dts_draw_head(draw, &head, "Predicted against published");
    draw_axes(draw, all);
    for (int class = 0, shown = 0; class < DTS_CASE_CLASSES; class ++) {
        if (counts_of[class] == 0)
            continue;
        const char *how = marked ? "1:2:3 with labels hypertext point" : "1:2 with points";
        dts_draw(
            draw,
            ", \\\n     $c%d using %s pointtype %d pointsize %s linecolor rgb \"%s\" title "
            "\"%s (%d)\"",
            class, how, shown < DTS_DRAW_COLOURS ? 7 : 5, marked ? "0.5" : "0.35",
            dts_draw_colour(shown), dts_case_class_name(class), counts_of[class]);
        shown++;
    }
    dts_draw(draw, "\n");
}

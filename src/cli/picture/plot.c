/* plot.c -- the table of kinds of picture, and which one suits an answer. */
#include "cli/picture/plot.h"

#include <string.h>

const struct dts_plot *const dts_plots[] = {
    &dts_plot_scaling,
    &dts_plot_steps,
    &dts_plot_bandwidth,
    &dts_plot_target,
    &dts_plot_published,
    &dts_plot_memory,
    &dts_plot_staleness,
    &dts_plot_pareto,
    &dts_plot_timeline,
    &dts_plot_links,
    // ends the table
    NULL,
};

const char *dts_plot_name(int i)
{
    return dts_plots[i] != NULL ? dts_plots[i]->name : NULL;
}

const struct dts_plot *dts_plot_find(const char *name)
{
    for (int i = 0; dts_plots[i] != NULL; i++)
        if (strcmp(dts_plots[i]->name, name) == 0)
            return dts_plots[i];
    return NULL;
}

const struct dts_plot *dts_plot_for(const struct dts_report *report,
                                    const struct dts_drawing *drawing, struct dts_error *err)
{
    const struct dts_plot *found = NULL;
    int most = 0;
    if (drawing->plot != NULL) {
        found = dts_plot_find(drawing->plot);
        const char *lacks = found->lacks(report, drawing);
        if (lacks == NULL)
            return found;
        dts_fail(err, DTS_BAD_INPUT, "--plot %s: %s: %s", drawing->plot, report->scenario,
                 lacks);
        return NULL;
    }
    for (int i = 0; dts_plots[i] != NULL; i++) {
        const int says =
            dts_plots[i]->lacks(report, drawing) == NULL ? dts_plots[i]->says(report) : 0;
        if (says > most) {
            most = says;
            found = dts_plots[i];
        }
    }
    if (found == NULL)
        dts_fail(err, DTS_BAD_INPUT, "%s: the answer has nothing to draw", report->scenario);
    return found;
}

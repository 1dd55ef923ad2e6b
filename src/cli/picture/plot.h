/* plot.h -- the kinds of picture. One file and one row of plot.c each. */
#ifndef DTS_CLI_PICTURE_PLOT_H
#define DTS_CLI_PICTURE_PLOT_H

#include "answer/result.h"
#include "cli/picture/draw.h"

struct dts_plot {
    const char *name, *summary;
    bool timeline, links; // it reads drawing->trace, drawing->links

    /* Why the answer has no such picture, as a sentence's end: "no point has a throughput";
     * NULL: it has one. */
    const char *(*lacks)(const struct dts_report *report, const struct dts_drawing *drawing);

    /* How much the picture says of the answer: the kind that says most is drawn where no kind
     * is named. 0: none of its own accord. */
    int (*says)(const struct dts_report *report);

    /* Only called where nothing lacks. Fails where files of `drawing` cannot be read. */
    bool (*draw)(const struct dts_report *report, const struct dts_drawing *drawing,
                 struct dts_draw *draw, struct dts_error *err);
};

extern const struct dts_plot *const dts_plots[]; // ended by NULL
extern const struct dts_plot dts_plot_scaling;
extern const struct dts_plot dts_plot_steps;
extern const struct dts_plot dts_plot_bandwidth;
extern const struct dts_plot dts_plot_memory;
extern const struct dts_plot dts_plot_target;
extern const struct dts_plot dts_plot_staleness;
extern const struct dts_plot dts_plot_timeline;
extern const struct dts_plot dts_plot_links;
extern const struct dts_plot dts_plot_pareto;
extern const struct dts_plot dts_plot_published;

const char *dts_plot_name(int i);                       // NULL at the end
const struct dts_plot *dts_plot_find(const char *name); // NULL: there is none of that name

/* The kind that the drawing names, or that suits the answer. NULL: there is nothing to draw. */
const struct dts_plot *dts_plot_for(const struct dts_report *report,
                                    const struct dts_drawing *drawing, struct dts_error *err);

#endif

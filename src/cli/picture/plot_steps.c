/* plot_steps.c -- what the time of a step is made of. */
#include <math.h>

#include "cli/picture/bars.h"
#include "cli/picture/plot.h"
#include "cli/print/time_unit.h"

static double kernels_s(const struct dts_result *point)
{
    const double slowdown_s = point->step.overlap_slowdown_s;
    return point->step.compute_s - (isfinite(slowdown_s) ? slowdown_s : 0);
}

static double slowdown_s(const struct dts_result *point)
{
    return point->step.overlap_slowdown_s;
}

static double exposed_s(const struct dts_result *point)
{
    return point->step.exposed_comm_s;
}

static double input_s(const struct dts_result *point)
{
    return point->step.input_s;
}

static double bubble_s(const struct dts_result *point)
{
    return point->step.bubble_s;
}

static double straggler_s(const struct dts_result *point)
{
    return point->step.straggler_s;
}

static double total_s(const struct dts_result *point)
{
    return point->step.total_s;
}

static const struct dts_bar_part parts[] = {
    {"kernels", "#0072b2", kernels_s},
    {"slowdown by overlap", "#56b4e9", slowdown_s},
    {"exposed communication", "#d55e00", exposed_s},
    {"input", "#cc79a7", input_s},
    {"pipeline bubble", "#e69f00", bubble_s},
    {"stragglers", "#999999", straggler_s},
    {0},
};

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    return isfinite(dts_bars_largest(report, total_s)) ? NULL : "no point has a step";
}

static int says(const struct dts_report *report)
{
    (void)report;
    return 5;
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    const struct dts_time_unit *unit = dts_time_unit_step(dts_bars_largest(report, total_s));
    const struct dts_bars bars = {.title = "What the time of a step is made of",
                                  .parts = parts,
                                  .total = total_s,
                                  .unit = unit->name,
                                  .scale = unit->scale};
    dts_bars_draw(draw, report, &bars);
    return true;
}

const struct dts_plot dts_plot_steps = {
    .name = "steps",
    .summary = "the parts of the time of a step, a bar for each point",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

/* plot_memory.c -- what lies in the memory of the fullest device. */
#include <math.h>

#include "cli/picture/bars.h"
#include "cli/picture/plot.h"

static double weights(const struct dts_result *point)
{
    return point->memory.weights_bytes;
}

static double gradients(const struct dts_result *point)
{
    return point->memory.gradients_bytes;
}

static double optimizer(const struct dts_result *point)
{
    return point->memory.optimizer_bytes;
}

static double activations(const struct dts_result *point)
{
    return point->memory.activations_bytes;
}

static double unsharded(const struct dts_result *point)
{
    return point->memory.unsharded_bytes;
}

static double framework(const struct dts_result *point)
{
    return point->memory.framework_bytes;
}

static double total(const struct dts_result *point)
{
    return point->memory.total_bytes > 0 ? point->memory.total_bytes : NAN;
}

static const struct dts_bar_part parts[] = {
    {"weights", "#0072b2", weights},
    {"gradients", "#56b4e9", gradients},
    {"optimizer", "#009e73", optimizer},
    {"activations", "#e69f00", activations},
    {"unsharded", "#cc79a7", unsharded},
    {"framework", "#999999", framework},
    {0},
};

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    (void)drawing;
    return isfinite(dts_bars_largest(report, total)) ? NULL : "no point has a memory";
}

static int says(const struct dts_report *report)
{
    (void)report;
    return 1;
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    (void)drawing, (void)err;
    const bool large = dts_bars_largest(report, total) >= 1e8;
    const struct dts_bars bars = {.title = "What lies in the memory of a device",
                                  .parts = parts,
                                  .total = total,
                                  .unit = large ? "GB" : "MB",
                                  .scale = large ? 1e-9 : 1e-6};
    dts_bars_draw(draw, report, &bars);
    return true;
}

const struct dts_plot dts_plot_memory = {
    .name = "memory",
    .summary = "the memory of a device by parts, a bar for each point",
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

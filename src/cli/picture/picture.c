/* picture.c -- formats that are pictures: SVG, PNG, PDF, and the script itself. */
#include "cli/picture/picture.h"

#include "base/version.h"
#include "cli/picture/gnuplot.h"
#include "cli/picture/svg.h"
#include "cli/print/format.h"

static bool ready(int count, const struct dts_drawing *drawing, struct dts_error *err)
{
    (void)drawing;
    return count == 1 ||
           dts_fail(err, DTS_BAD_INPUT,
                    "a picture shows one scenario, got %d: --output FILE.html has several",
                    count);
}

static bool ready_to_draw(int count, const struct dts_drawing *drawing, struct dts_error *err)
{
    return ready(count, drawing, err) && dts_gnuplot_check(err);
}

static void add_title(struct dts_text *title, const struct dts_report *report,
                      const struct dts_plot *plot)
{
    dts_text_add(title, "%s: %s", report->scenario, plot->summary);
}

static bool write_svg(const struct dts_draw *draw, const char *title, const char *inside,
                      FILE *out, struct dts_error *err)
{
    struct dts_text picture = {0};
    const bool good = dts_gnuplot_draw(draw, DTS_TERMINAL_SVG, &picture, err);
    if (good)
        dts_svg_write(dts_text_string(&picture), draw, title, inside, out);
    dts_text_free(&picture);
    return good;
}

static bool write_cairo(const struct dts_draw *draw, enum dts_terminal terminal, FILE *out,
                        struct dts_error *err)
{
    struct dts_text picture = {0};
    const bool good = dts_gnuplot_draw(draw, terminal, &picture, err);
    if (good)
        fwrite(picture.chars, 1, picture.length, out);
    dts_text_free(&picture);
    return good;
}

static void write_script(const struct dts_draw *draw, const char *name, FILE *out)
{
    struct dts_text script = {0};
    dts_gnuplot_script(draw, DTS_TERMINAL_SVG, &script);
    fprintf(out,
            "# %s, by dtsim %s: gnuplot THIS_FILE > picture.svg\n"
            "# h0, h1, ... name marks: the words that the SVG of dtsim shows on hover.\n%s",
            name, dts_version(), dts_text_string(&script));
    dts_text_free(&script);
}

bool dts_picture_write(const struct dts_draw *draw, const struct dts_format *format,
                       const char *name, const char *title, FILE *out, struct dts_error *err)
{
    if (format == &dts_format_svg)
        return write_svg(draw, title, NULL, out, err);
    if (format == &dts_format_gp) {
        write_script(draw, name, out);
        return true;
    }
    return write_cairo(draw, format == &dts_format_png ? DTS_TERMINAL_PNG : DTS_TERMINAL_PDF,
                       out, err);
}

bool dts_picture_inside(const struct dts_report *report, const struct dts_plot *plot,
                        const struct dts_drawing *drawing, const char *name, FILE *out,
                        struct dts_error *err)
{
    struct dts_draw draw = {0};
    struct dts_text title = {0};
    add_title(&title, report, plot);
    const bool good = plot->draw(report, drawing, &draw, err) &&
                      write_svg(&draw, dts_text_string(&title), name, out, err);
    dts_text_free(&title);
    dts_draw_free(&draw);
    return good;
}

static bool draw_as(const struct dts_format *format, const struct dts_report *report,
                    const struct dts_drawing *drawing, FILE *out, struct dts_error *err)
{
    const struct dts_plot *plot = dts_plot_for(report, drawing, err);
    struct dts_draw draw = {0};
    struct dts_text title = {0};
    if (plot == NULL)
        return false;
    add_title(&title, report, plot);
    const bool good =
        plot->draw(report, drawing, &draw, err) &&
        dts_picture_write(&draw, format, plot->name, dts_text_string(&title), out, err);
    dts_text_free(&title);
    dts_draw_free(&draw);
    return good;
}

static bool svg(const struct dts_report *reports, int count, const struct dts_drawing *drawing,
                FILE *out, struct dts_error *err)
{
    (void)count;
    return draw_as(&dts_format_svg, reports, drawing, out, err);
}

static bool png(const struct dts_report *reports, int count, const struct dts_drawing *drawing,
                FILE *out, struct dts_error *err)
{
    (void)count;
    return draw_as(&dts_format_png, reports, drawing, out, err);
}

static bool pdf(const struct dts_report *reports, int count, const struct dts_drawing *drawing,
                FILE *out, struct dts_error *err)
{
    (void)count;
    return draw_as(&dts_format_pdf, reports, drawing, out, err);
}

static bool gp(const struct dts_report *reports, int count, const struct dts_drawing *drawing,
               FILE *out, struct dts_error *err)
{
    (void)count;
    return draw_as(&dts_format_gp, reports, drawing, out, err);
}

const struct dts_format dts_format_svg = {
    .name = "svg",
    .summary = "a picture for pages: --plot says of what; marks say their values on hover",
    .suffix = ".svg",
    .draw = svg,
    .ready = ready_to_draw,
};

const struct dts_format dts_format_png = {
    .name = "png",
    .summary = "the same for slides",
    .suffix = ".png",
    .draw = png,
    .ready = ready_to_draw,
};

const struct dts_format dts_format_pdf = {
    .name = "pdf",
    .summary = "the same for papers",
    .suffix = ".pdf",
    .draw = pdf,
    .ready = ready_to_draw,
};

const struct dts_format dts_format_gp = {
    .name = "gp",
    .summary = "the script of the picture with its data, for gnuplot",
    .suffix = ".gp",
    .draw = gp,
    .ready = ready,
};

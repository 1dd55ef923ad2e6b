/* svg.c -- mends the SVG of gnuplot, 5.4 and later, piece by piece. */
#include "cli/picture/svg.h"

#include <stdlib.h>
#include <string.h>

#include "base/xml.h"

struct mend {
    const struct dts_draw *draw;
    const char *title, *inside;
    FILE *out;
};

/* A piece that begins with `find` is written by `write`, which returns what follows. Users'
 * words cannot look like one: in gnuplot's SVG they have no "<" that is not escaped. */
struct piece {
    const char *find;
    const char *(*write)(const struct mend *mend, const char *at);
};

static const char *behind(const char *at, const char *end)
{
    const char *found = strstr(at, end);
    return found != NULL ? found + strlen(end) : at + strlen(at);
}

static const char *whole_title(const struct mend *mend, const char *at)
{
    fputs("<title>", mend->out);
    dts_xml_words(mend->out, mend->title);
    fputs("</title>", mend->out);
    return behind(at, "</title>");
}

/* <g id="gnuplot_plot_1" ><title>gnuplot_plot_1</title> */
static const char *plot(const struct mend *mend, const char *at)
{
    fputs("<g>", mend->out);
    return behind(at, "</title>");
}

/* <g onmousemove="gnuplot_svg.showHypertext(evt,'h1')" onmouseout="..."><title> </title> */
static const char *mark(const struct mend *mend, const char *at)
{
    char *end;
    const unsigned long number = strtoul(at + strlen("<g onmousemove=\"gnuplot_svg."
                                                     "showHypertext(evt,'h"),
                                         &end, 10);
    fputs("<g class='mark'><title>", mend->out);
    if (number < mend->draw->mark_count)
        dts_xml_words(mend->out, mend->draw->marks[number]);
    fputs("</title>", mend->out);
    return behind(at, "</title>");
}

static const char *canvas(const struct mend *mend, const char *at)
{
    fputs("<g>", mend->out);
    return behind(at, ">");
}

/* Of pictures on one page each has its own names. */
static const char *name(const struct mend *mend, const char *at)
{
    const size_t lead = strcspn(at, "g");
    fprintf(mend->out, "%.*s%s", (int)lead, at, mend->inside != NULL ? mend->inside : "");
    return at + lead;
}

static const struct piece pieces[] = {
    {"<title>Gnuplot</title>", whole_title},
    {"<g id=\"gnuplot_plot_", plot},
    {"<g onmousemove=\"gnuplot_svg.showHypertext(evt,'h", mark},
    {"<g id=\"gnuplot_canvas\">", canvas},
    {"id='gp", name},
    {"xlink:href='#gp", name},
};

/* What follows the piece that begins here; NULL: none does. */
static const char *mended(const struct mend *mend, const char *at)
{
    for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++)
        if (strncmp(at, pieces[p].find, strlen(pieces[p].find)) == 0)
            return pieces[p].write(mend, at);
    return NULL;
}

void dts_svg_write(const char *svg, const struct dts_draw *draw, const char *title,
                   const char *inside, FILE *out)
{
    const struct mend mend = {draw, title, inside, out};
    if (inside != NULL && strstr(svg, "<svg") != NULL)
        svg = strstr(svg, "<svg");
    while (*svg != '\0') {
        const char *next =
            *svg == '<' || *svg == 'i' || *svg == 'x' ? mended(&mend, svg) : NULL;
        if (next == NULL)
            fputc(*svg++, out);
        else
            svg = next;
    }
}

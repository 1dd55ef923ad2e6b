/* svg.c -- mends the SVG of gnuplot, 5.4 and later, piece by piece. */
#include "cli/picture/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xml.h"

struct mend {
    const struct dts_draw *draw;
    const char *title, *inside;
    FILE *out;
    double corner[2]; // of an area, x and y
};

/* A piece that begins with `find` is written by `write`, which returns what follows. Users'
 * words cannot look like one: in gnuplot's SVG they have no "<" that is not escaped. */
struct piece {
    const char *find;
    const char *(*write)(struct mend *mend, const char *at);
};

static const char *behind(const char *at, const char *end)
{
    const char *found = strstr(at, end);
    return found != NULL ? found + strlen(end) : at + strlen(at);
}

static const char *whole_title(struct mend *mend, const char *at)
{
    fputs("<title>", mend->out);
    dts_xml_isolated(mend->out, mend->title);
    fputs("</title>", mend->out);
    return behind(at, "</title>");
}

/* <g id="gnuplot_plot_1" ><title>gnuplot_plot_1</title> */
static const char *plot(struct mend *mend, const char *at)
{
    fputs("<g>", mend->out);
    return behind(at, "</title>");
}

static void put_title(const struct mend *mend, unsigned long number)
{
    fputs("<title>", mend->out);
    if (number < mend->draw->mark_count)
        dts_xml_isolated(mend->out, mend->draw->marks[number]);
    fputs("</title>", mend->out);
}

/* The second corner of an area, which can be seen by its title alone. */
static void put_area(const struct mend *mend, unsigned long number, const double corner[2])
{
    fprintf(mend->out,
            "<rect class='mark' x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='#000000' "
            "fill-opacity='0' stroke='none'>",
            fmin(corner[0], mend->corner[0]), fmin(corner[1], mend->corner[1]),
            fabs(corner[0] - mend->corner[0]), fabs(corner[1] - mend->corner[1]));
    put_title(mend, number);
    fputs("</rect>", mend->out);
}

#define HOVER "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'"

/* <g onmousemove="gnuplot_svg.showHypertext(evt,'h1')" onmouseout="..."><title> </title>
 * <use xlink:href='#gpPt6' transform='translate(54.53,364.00) scale(4.50)' .../></g> */
static const char *mark(struct mend *mend, const char *at)
{
    const char kind = at[strlen(HOVER)];
    char *end;
    const unsigned long number = strtoul(at + strlen(HOVER) + 1, &end, 10);
    double corner[2] = {0};
    if (kind == 'h') {
        fputs("<g class='mark'>", mend->out);
        put_title(mend, number);
        return behind(at, "</title>");
    }
    sscanf(behind(at, "translate("), "%lf,%lf", &corner[0], &corner[1]);
    if (kind == 'e')
        put_area(mend, number, corner);
    memcpy(mend->corner, corner, sizeof(corner));
    return behind(at, "</g>");
}

/* <g fill="none" ...>: gnuplot begins such a group for every change of a colour. Those with
 * nothing in them, and around corners of areas, are left out. */
static const char *group(struct mend *mend, const char *at)
{
    static const char white[] = " \t\n", end[] = "</g>";
    const char *inside = behind(at, ">");
    const char *next = inside + strspn(inside, white);
    const size_t hover = strlen(HOVER);
    if (strncmp(next, HOVER, hover) == 0 && (next[hover] == 'b' || next[hover] == 'e')) {
        next = mark(mend, next);
        next += strspn(next, white);
        inside = next; // what follows the corner has no group of its own then
    }
    if (strncmp(next, end, strlen(end)) == 0)
        return next + strlen(end);
    fwrite(at, 1, (size_t)(behind(at, ">") - at), mend->out);
    return inside;
}

static const char *canvas(struct mend *mend, const char *at)
{
    fputs("<g>", mend->out);
    return behind(at, ">");
}

/* Of pictures on one page each has its own names. */
static const char *name(struct mend *mend, const char *at)
{
    const size_t lead = strcspn(at, "g");
    fprintf(mend->out, "%.*s%s", (int)lead, at, mend->inside != NULL ? mend->inside : "");
    return at + lead;
}

/* For boxes around words, of which we draw none. */
static const char *filter(struct mend *mend, const char *at)
{
    (void)mend;
    return behind(at, "</filter>");
}

static const struct piece pieces[] = {
    {"<title>Gnuplot</title>", whole_title},
    {"<g id=\"gnuplot_plot_", plot},
    {HOVER, mark},
    {"<g id=\"gnuplot_canvas\">", canvas},
    {"<filter", filter},
    {"<g fill=\"none\"", group},
    {"id='gp", name},
    {"xlink:href='#gp", name},
};

/* What follows the piece that begins here; NULL: none does. */
static const char *mended(struct mend *mend, const char *at)
{
    for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++)
        if (strncmp(at, pieces[p].find, strlen(pieces[p].find)) == 0)
            return pieces[p].write(mend, at);
    return NULL;
}

void dts_svg_write(const char *svg, const struct dts_draw *draw, const char *title,
                   const char *inside, FILE *out)
{
    struct mend mend = {draw, title, inside, out, {0}};
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

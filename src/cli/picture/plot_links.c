/* plot_links.c -- the network of the last point, in the colours of what its links carry in a
 * step; where it is large, a row of colours for each kind of link. */
#include <math.h>
#include <sys/stat.h>

#include "cli/picture/graph.h"
#include "cli/picture/loads.h"
#include "cli/picture/plot.h"
#include "cli/print/text_notes.h"

enum { NAME = 36 }; // bytes of a name in the picture

static const char *lacks(const struct dts_report *report, const struct dts_drawing *drawing)
{
    struct stat status;
    (void)report;
    return drawing->links != NULL && stat(drawing->links, &status) == 0
               ? NULL
               : "the last point has no network";
}

static int says(const struct dts_report *report)
{
    (void)report;
    return 1;
}

/* From yellow to violet, which also differ in how dark they are (viridis, by van der Walt and
 * Smith). */
static void set_colours(struct dts_draw *draw, double most)
{
    dts_draw(draw,
             "set palette defined (0 \"#c8dc32\", 0.25 \"#5ec962\", 0.5 \"#21918c\", 0.75 "
             "\"#3b528b\", 1 \"#440154\")\n"
             "set cbrange [0:%.9g]\nset cbtics scale 0.5 format \"%%g %%%%\"\n",
             100 * (most > 0 ? most : 1));
}

static void head(struct dts_draw *draw, const struct dts_report *report)
{
    char name[DTS_TEXT_POINT];
    struct dts_text title = {0};
    dts_text_add(&title, "Share of the step that links need for what they carry: %s",
                 dts_text_point(&report->points[report->count - 1], name));
    dts_draw_head(draw, report, dts_text_string(&title));
    dts_text_free(&title);
}

/* "41.7 MB, 3.2 % of the step" */
static void add_load(struct dts_text *text, double bytes, double share)
{
    const bool large = bytes >= 1e9, small = bytes < 1e6;
    dts_text_add(text, "%.3g %s, %.3g %% of the step",
                 bytes / (large   ? 1e9
                          : small ? 1e3
                                  : 1e6),
                 large   ? "GB"
                 : small ? "kB"
                         : "MB",
                 100 * share);
}

/* $edges: x, y, dx, dy, percent; $vertices: x, y, percent, size, and
 * of parts of a node where their names stand, and these; $marks: middles of edges, and
 * vertices. */
static void add_graph(struct dts_draw *draw, const struct dts_graph *graph,
                      const struct dts_loads *loads)
{
    dts_draw(draw, "$edges << EOD\n");
    for (int e = graph->edge_count - 1; e >= 0; e--) { // the busiest of a kind last: on top
        const struct dts_graph_vertex *a = &graph->vertices[graph->edges[e].from],
                                      *b = &graph->vertices[graph->edges[e].to];
        dts_draw(draw, "%.6g %.6g %.6g %.6g %.6g\n", a->x, a->y, b->x - a->x, b->y - a->y,
                 100 * loads->links[graph->edges[e].link].share);
    }
    dts_draw(draw, "EOD\n$vertices << EOD\n");
    for (int v = 0; v < graph->vertex_count; v++) {
        const struct dts_graph_vertex *vertex = &graph->vertices[v];
        const double beside = 1.22, above = 1.1; // of the circle that they lie on
        dts_draw(draw, "%.6g %.6g %.6g %d", vertex->x, vertex->y, 100 * vertex->share,
                 vertex->node ? 1 : 0);
        if (graph->inside) {
            dts_draw(draw, " %.6g %.6g ", beside * vertex->x, above * vertex->y);
            dts_draw_word(draw, vertex->name != NULL ? vertex->name : "", NAME);
        }
        dts_draw(draw, "\n");
    }
    dts_draw(draw, "EOD\n$marks << EOD\n");
    for (int e = 0; e < graph->edge_count; e++) {
        const struct dts_graph_vertex *a = &graph->vertices[graph->edges[e].from],
                                      *b = &graph->vertices[graph->edges[e].to];
        const struct dts_loads_link *link = &loads->links[graph->edges[e].link];
        struct dts_text load = {0};
        add_load(&load, link->bytes, link->share);
        dts_draw(draw, "%.6g %.6g", (a->x + b->x) / 2, (a->y + b->y) / 2);
        dts_draw_mark(draw, "%s: %s%s", link->name, dts_text_string(&load),
                      graph->edges[e].count > 1 ? ", the busiest between these two" : "");
        dts_text_free(&load);
    }
    for (int v = 0; v < graph->vertex_count; v++) {
        const struct dts_graph_vertex *vertex = &graph->vertices[v];
        struct dts_text load = {0};
        dts_draw(draw, "%.6g %.6g", vertex->x, vertex->y);
        if (vertex->inside >= 0)
            add_load(&load, loads->links[vertex->inside].bytes, vertex->share);
        if (vertex->name != NULL)
            dts_draw_mark(draw, "%s", vertex->name);
        else
            dts_draw_mark(draw, "%s %d%s%s%s%s",
                          vertex->node     ? "node"
                          : !graph->inside ? "switch or router"
                                           : "place",
                          vertex->number, vertex->inside >= 0 ? ", within " : "",
                          vertex->inside >= 0 ? loads->links[vertex->inside].name : "",
                          vertex->inside >= 0 ? ": " : "", dts_text_string(&load));
        dts_text_free(&load);
    }
    dts_draw(draw, "EOD\n");
}

static void draw_graph(struct dts_draw *draw, const struct dts_report *report,
                       const struct dts_graph *graph, const struct dts_loads *loads)
{
    double top = 0;
    for (int v = 0; v < graph->vertex_count; v++)
        top = fmax(top, graph->vertices[v].y);
    draw->height = graph->round ? 760 : 420;
    head(draw, report);
    set_colours(draw, loads->most);
    add_graph(draw, graph, loads);
    dts_draw(
        draw,
        "unset border\nunset xtics\nunset ytics\nunset grid\nset tmargin at screen 0.87\n"
        "set bmargin at screen 0.14\nset lmargin at screen 0.03\n"
        "set rmargin at screen 0.83\n"
        "set key at screen 0.03, screen 0.02 left bottom vertical samplen 1 spacing 1.1\n");
    if (graph->inside) // with room for names
        dts_draw(draw, "set size ratio 0.8\nset xrange [-1.5:1.5]\nset yrange [-1.2:1.2]\n");
    else if (graph->round)
        dts_draw(draw, "set size ratio 1\nset xrange [-1.08:1.08]\nset yrange [-1.08:1.08]\n");
    else
        dts_draw(draw, "set xrange [0:1]\nset yrange [-0.25:%.3g]\n", top + 0.25);
    dts_draw(draw,
             "plot $edges using 1:2:3:4:5 with vectors nohead linewidth 2 linecolor palette "
             "notitle, \\\n     $vertices using 1:($4==1?$2:NaN):3 with points pointtype 5 "
             "pointsize 1.3 linecolor palette notitle, \\\n     "
             "$vertices using 1:($4==0?$2:NaN) with points pointtype 7 pointsize 0.9 linecolor "
             "rgb \"#888888\" title \"%s\", \\\n     ",
             !graph->inside ? "switch or router" : "device, switch or host");
    if (graph->inside)
        dts_draw(draw, "$vertices using 5:6:7 with labels center textcolor rgb \"#333333\" "
                       "notitle, \\\n     ");
    else
        dts_draw(draw,
                 "keyentry with points pointtype 5 pointsize 1.3 linecolor rgb \"#21918c\" "
                 "title \"node, in the colour of its busiest link within\", \\\n     ");
    dts_draw(draw, "$marks using 1:2:3 with labels hypertext point pointtype 7 pointsize 1.2 "
                   "linecolor rgb \"#ff000000\" notitle\n");
}

static void draw_rows(struct dts_draw *draw, const struct dts_report *report,
                      const struct dts_loads *loads)
{
    enum { SHOWN = 40, ROW = 26, AROUND = 150 };
    const int rows = loads->kind_count < SHOWN ? loads->kind_count : SHOWN;
    draw->height = AROUND + ROW * rows;
    draw->height = draw->height < 300 ? 300 : draw->height;
    head(draw, report);
    set_colours(draw, loads->most);
    dts_draw(draw, "$cells << EOD\n");
    for (int k = 0; k < rows; k++)
        for (int s = 0; s < loads->kinds[k].share_count; s++)
            dts_draw(draw, "%d %.6g %.6g %.6g\n", -k, 100.0 * s / loads->kinds[k].share_count,
                     100.0 * (s + 1) / loads->kinds[k].share_count,
                     100 * loads->kinds[k].share[s]);
    dts_draw(draw, "EOD\n$areas << EOD\n");
    for (int k = 0; k < rows; k++) {
        const struct dts_loads_kind *kind = &loads->kinds[k];
        const double from[2] = {0, -k - 0.4}, to[2] = {100, 0.4 - k};
        struct dts_text load = {0};
        add_load(&load, kind->bytes, kind->share[0]);
        dts_draw_area(draw, from, to, "%d links like %s, which carries most: %s", kind->count,
                      kind->busiest, dts_text_string(&load));
        dts_text_free(&load);
    }
    dts_draw(draw, "EOD\nset ytics (");
    for (int k = 0; k < rows; k++) {
        struct dts_text name = {0};
        dts_text_add(&name, "%s (%d)", loads->kinds[k].name, loads->kinds[k].count);
        dts_draw(draw, "%s", k > 0 ? ", " : "");
        dts_draw_tic(draw, dts_text_string(&name), NAME);
        dts_draw(draw, " %d", -k);
        dts_text_free(&name);
    }
    dts_draw(
        draw,
        ")\nset tmargin 4.8\nunset key\nunset grid\nset tics scale 0,0\nset border 0\n"
        "set xrange [0:100]\nset yrange [%.3g:0.6]\nset format x \"%%g %%%%\"\n"
        "set xlabel \"links of a kind, the busiest first\"\n"
        "plot $cells using (($2+$3)/2):1:2:3:($1-0.4):($1+0.4):4 with boxxyerror linecolor "
        "palette, \\\n     ",
        0.4 - rows);
    dts_draw_areas(draw, "areas");
    dts_draw(draw, "\n");
}

static bool draw_it(const struct dts_report *report, const struct dts_drawing *drawing,
                    struct dts_draw *draw, struct dts_error *err)
{
    struct dts_loads loads;
    struct dts_graph graph;
    if (!dts_loads_read(&loads, drawing->links, err))
        return false;
    bool good = true;
    if (loads.kind_count == 0)
        good = dts_fail(err, DTS_BAD_INPUT, "--plot links: %s: no link carries anything",
                        report->scenario);
    else if (dts_graph_make(&graph, &loads)) {
        draw_graph(draw, report, &graph, &loads);
        dts_graph_free(&graph);
    } else
        draw_rows(draw, report, &loads);
    dts_loads_free(&loads);
    return good;
}

const struct dts_plot dts_plot_links = {
    .name = "links",
    .summary = "the network of the last point, in colours of what its links carry",
    .links = true,
    .lacks = lacks,
    .says = says,
    .draw = draw_it,
};

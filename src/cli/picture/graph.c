/* graph.c -- which links join what, and where that lies: in layers above the nodes where
 * switches are a tree; else on circles, routers within and nodes around them. */
#include "cli/picture/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NO_NODE = -1, FAR = 1 << 20 };

/* The node that a link belongs to, by its name "node3.nic0.out"; *nic: it leaves it. */
static int node_of(const struct dts_loads_link *link, bool *nic)
{
    int node = NO_NODE, end = 0;
    if (sscanf(link->name, "node%d.%n", &node, &end) != 1 || end == 0)
        return NO_NODE;
    *nic = strncmp(link->name + end, "nic", 3) == 0;
    return node;
}

static int find_vertex(struct dts_graph *graph, bool node, int number)
{
    for (int v = 0; v < graph->vertex_count; v++)
        if (graph->vertices[v].node == node && graph->vertices[v].number == number)
            return v;
    if (graph->vertex_count == DTS_GRAPH_VERTICES)
        return -1;
    graph->vertices[graph->vertex_count] = (struct dts_graph_vertex){
        .node = node, .number = number, .layer = node ? 0 : FAR, .inside = -1};
    return graph->vertex_count++;
}

static void add_edge(struct dts_graph *graph, const struct dts_loads *loads, int from, int to,
                     int link)
{
    for (int e = 0; e < graph->edge_count; e++) {
        struct dts_graph_edge *edge = &graph->edges[e];
        if ((edge->from == from && edge->to == to) || (edge->from == to && edge->to == from)) {
            edge->count++;
            if (loads->links[link].share > loads->links[edge->link].share)
                edge->link = link;
            return;
        }
    }
    graph->edges[graph->edge_count++] = (struct dts_graph_edge){from, to, link, 1};
}

/* Links within a node colour its vertex. */
static bool add_link(struct dts_graph *graph, const struct dts_loads *loads, int l)
{
    const struct dts_loads_link *link = &loads->links[l];
    const bool apart = !graph->inside; // nodes are vertices
    bool nic = false;
    const int node = node_of(link, &nic);
    const size_t length = strlen(link->name);
    const bool out = length > 4 && strcmp(link->name + length - 4, ".out") == 0;
    if (apart && node != NO_NODE && !nic) {
        const int v = find_vertex(graph, true, node);
        if (v >= 0 && link->share > graph->vertices[v].share) {
            graph->vertices[v].share = link->share;
            graph->vertices[v].inside = l;
        }
        return v >= 0;
    }
    const bool leaves = apart && nic && out, enters = apart && nic && !out;
    const int from = find_vertex(graph, leaves, leaves ? node : link->from);
    const int to = find_vertex(graph, enters, enters ? node : link->to);
    if (from >= 0 && to >= 0 && from != to)
        add_edge(graph, loads, from, to, l);
    if (from >= 0 && graph->inside)
        graph->vertices[from].name = link->from_name;
    if (to >= 0 && graph->inside)
        graph->vertices[to].name = link->to_name;
    return from >= 0 && to >= 0;
}

/* Do only links of one node carry something? */
static bool is_inside(const struct dts_loads *loads)
{
    bool nic = false;
    const int first = node_of(&loads->links[0], &nic);
    for (int l = 0; l < loads->link_count; l++)
        if (node_of(&loads->links[l], &nic) != first || first == NO_NODE || nic)
            return false;
    return true;
}

/* Layers grow away from the nodes until nothing changes. */
static void find_layers(struct dts_graph *graph)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int e = 0; e < graph->edge_count; e++) {
            struct dts_graph_vertex *a = &graph->vertices[graph->edges[e].from],
                                    *b = &graph->vertices[graph->edges[e].to];
            if (a->layer > b->layer + 1 && b->layer < FAR) {
                a->layer = b->layer + 1;
                changed = true;
            } else if (b->layer > a->layer + 1 && a->layer < FAR) {
                b->layer = a->layer + 1;
                changed = true;
            }
        }
    }
    for (int e = 0; e < graph->edge_count; e++)
        graph->round = graph->round || graph->vertices[graph->edges[e].from].layer ==
                                           graph->vertices[graph->edges[e].to].layer;
}

static struct dts_graph_vertex *sorted_by(struct dts_graph *graph, int layer, int *order,
                                          int *count)
{
    *count = 0;
    for (int v = 0; v < graph->vertex_count; v++) {
        if (graph->vertices[v].layer != layer)
            continue;
        int at = (*count)++;
        for (; at > 0; at--) {
            const struct dts_graph_vertex *other = &graph->vertices[order[at - 1]],
                                          *own = &graph->vertices[v];
            if (other->x < own->x || (other->x == own->x && other->number < own->number))
                break;
            order[at] = order[at - 1];
        }
        order[at] = v;
    }
    return graph->vertices;
}

/* The mean place of what lies one layer below. */
static void lean(struct dts_graph *graph, int layer)
{
    for (int v = 0; v < graph->vertex_count; v++) {
        double sum = 0;
        int count = 0;
        for (int e = 0; e < graph->edge_count; e++) {
            const struct dts_graph_edge *edge = &graph->edges[e];
            const int other = edge->from == v ? edge->to : edge->to == v ? edge->from : -1;
            if (other >= 0 && graph->vertices[other].layer == layer - 1) {
                sum += graph->vertices[other].x;
                count++;
            }
        }
        if (graph->vertices[v].layer == layer && count > 0)
            graph->vertices[v].x = sum / count;
    }
}

/* Each layer a line, its vertices evenly apart, in the order of what is below them. */
static void place_layers(struct dts_graph *graph)
{
    int *order = dts_alloc((size_t)graph->vertex_count, sizeof(*order));
    int count = 1;
    for (int layer = 0; count > 0; layer++) {
        if (layer > 0)
            lean(graph, layer);
        struct dts_graph_vertex *vertices = sorted_by(graph, layer, order, &count);
        for (int i = 0; i < count; i++) {
            vertices[order[i]].x = (i + 0.5) / count;
            vertices[order[i]].y = layer;
        }
    }
    free(order);
}

/* Vertices that are not nodes on a circle, in the order of their numbers; nodes around them,
 * each near its router. Angles are x until all are known. */
static void place_circles(struct dts_graph *graph)
{
    int *order = dts_alloc((size_t)graph->vertex_count, sizeof(*order));
    bool nodes = false;
    int count;
    for (int v = 0; v < graph->vertex_count; v++)
        nodes = nodes || graph->vertices[v].node;
    for (int v = 0; v < graph->vertex_count; v++)
        graph->vertices[v].layer = graph->vertices[v].node ? 1 : 0;
    struct dts_graph_vertex *vertices = sorted_by(graph, 0, order, &count);
    for (int i = 0; i < count; i++)
        vertices[order[i]].x = (double)i / count;
    lean(graph, 1);
    sorted_by(graph, 1, order, &count);
    const double apart = fmin(0.9 / count, 0.014); // of neighbours, in turns
    for (int i = 1; i < count; i++)
        vertices[order[i]].x = fmax(vertices[order[i]].x, vertices[order[i - 1]].x + apart);
    for (int v = 0; v < graph->vertex_count; v++) {
        const double angle = 2 * acos(-1) * vertices[v].x;
        const double radius = vertices[v].node || !nodes ? 1 : 0.72;
        vertices[v].x = radius * sin(angle);
        vertices[v].y = radius * cos(angle);
    }
    free(order);
}

bool dts_graph_make(struct dts_graph *graph, const struct dts_loads *loads)
{
    *graph = (struct dts_graph){0};
    if (loads->link_count == 0)
        return false;
    graph->vertices = dts_alloc(DTS_GRAPH_VERTICES, sizeof(*graph->vertices));
    graph->edges = dts_alloc((size_t)loads->link_count, sizeof(*graph->edges));
    graph->inside = is_inside(loads);
    bool good = true;
    for (int l = 0; l < loads->link_count && good; l++)
        good = add_link(graph, loads, l);
    int nodes = 0;
    for (int v = 0; v < graph->vertex_count; v++)
        nodes += graph->vertices[v].node;
    good = good && graph->edge_count > 0 && nodes <= DTS_GRAPH_NODES;
    if (!good) {
        dts_graph_free(graph);
        return false;
    }
    find_layers(graph);
    graph->round = graph->round || graph->inside;
    if (graph->round)
        place_circles(graph);
    else
        place_layers(graph);
    return true;
}

void dts_graph_free(struct dts_graph *graph)
{
    free(graph->vertices);
    free(graph->edges);
    *graph = (struct dts_graph){0};
}

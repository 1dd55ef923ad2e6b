/* graph.h -- nodes and switches as points of the plane, joined by the links that carry
 * something.
 */
#ifndef DTS_CLI_PICTURE_GRAPH_H
#define DTS_CLI_PICTURE_GRAPH_H

#include "cli/picture/loads.h"

struct dts_graph_vertex {
    bool node; // of the cluster, with all in it; else a switch or router, or a part of one node
    int number;       // of the node, or of the place
    const char *name; // of a part of one node; NULL: another vertex, or not known
    int layer;        // links between it and the nearest node
    double share;     // of the busiest link within; 0: none
    int inside;       // that link; -1: none
    double x, y;
};

struct dts_graph_edge {
    int from, to, link; // vertices; the busiest of the links between them
    int count;          // of these links, both ways
};

struct dts_graph {
    struct dts_graph_vertex *vertices; // owned, as the edges
    struct dts_graph_edge *edges;
    int vertex_count, edge_count;
    bool round;  // the vertices lie on circles, else in layers
    bool inside; // they are parts of one node
};

enum { DTS_GRAPH_NODES = 160, DTS_GRAPH_VERTICES = 500 };

/* False: there are too many nodes and switches, or no cables are known. Of a single node its
 * parts are the vertices. */
bool dts_graph_make(struct dts_graph *graph, const struct dts_loads *loads);
void dts_graph_free(struct dts_graph *graph);

#endif

/* node.h -- the ranks that share this rank's machine. */
#ifndef DTS_LIVE_NODE_H
#define DTS_LIVE_NODE_H

#include "live/wire.h"

/* Every rank calls both of these at the same place. Only ranks with `counts` count. Returns how
 * many of them are on this machine and have a lower number than this rank. */
int dts_node_before(const struct dts_wire *wire, bool counts);

/* Returns the first of them on this machine that has the same bytes, which may be this rank; -1
 * without `counts`. */
int dts_node_first_alike(const struct dts_wire *wire, bool counts, const void *bytes,
                         size_t count);

/* Ranks of a node, and how many of them can have a core of their own at once: fewer where they
 * are more than the cores, or are bound to the same ones. */
struct dts_node_cores {
    int ranks, cores;
};

/* Of the node where most ranks have none. Every rank calls it and gets the answer. */
void dts_node_cores(const struct dts_wire *wire, struct dts_node_cores *out);

#endif

/* node.h -- the ranks that share this rank's machine. */
#ifndef DTS_LIVE_NODE_H
#define DTS_LIVE_NODE_H

#include "live/wire.h"

/* Every rank calls these at the same place; those with `counts` are meant. How many of them
 * this machine has with a lower number than this rank. */
int dts_node_before(const struct dts_wire *wire, bool counts);

/* The first of them on this machine that has the same bytes; itself where it is that one, -1
 * without `counts`. */
int dts_node_first_alike(const struct dts_wire *wire, bool counts, const void *bytes,
                         size_t count);

#endif

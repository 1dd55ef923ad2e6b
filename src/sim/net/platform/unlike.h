/* unlike.h -- nodes of a platform that are not all alike: slow ones, and nodes of several
 * kinds; private to the room.
 */
#ifndef DTS_SIM_NET_PLATFORM_UNLIKE_H
#define DTS_SIM_NET_PLATFORM_UNLIKE_H

#include "base/json/keys.h"
#include "sim/net/platform/platform.h"

/* Fills platform->device, kinds and node_factor from "node.device", "node.kinds" and
 * "node.slow"; nodes are set already. dts_platform_free() releases them, also on failure. */
bool dts_platform_read_unlike(struct dts_platform *platform, const struct dts_cfg *node,
                              struct dts_error *err);

/* By this, kernels of a node take longer (node_factor). */
void dts_platform_slow_node(struct dts_platform *platform, int node, double factor);

/* The network has come from a file that may say the speeds of hosts. With `use` kernels of a
 * node take fastest / speed times as long; without, platform->hosts_note says that they do not.
 */
bool dts_platform_use_hosts(struct dts_platform *platform, bool use,
                            const struct dts_cfg *network, struct dts_error *err);

/* Print what keys "node.slow" and "node.kinds" have. */
void dts_platform_unlike_keys(struct dts_keys *keys);

#endif

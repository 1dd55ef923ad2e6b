/* build.h -- from "node.fabric", "nics" and "network" of a platform file to its
 * network; private to the room.
 */
#ifndef DTS_SIM_NET_PLATFORM_BUILD_H
#define DTS_SIM_NET_PLATFORM_BUILD_H

#include "base/json/keys.h"
#include "sim/net/platform/platform.h"

/* Sets platform->net; nodes and devices_per_node are set already. */
bool dts_platform_build(struct dts_platform *platform, const struct dts_cfg *top,
                        const struct dts_transport transports[2], struct dts_error *err);

/* The keys of "nics". */
extern const struct dts_field dts_platform_nics_fields[];

/* Print what keys "nics", "node.fabric" and "network" have. */
void dts_platform_build_keys(struct dts_keys *keys);

#endif

/* sources.h -- where the values of a platform file come from; private to the room.
 *
 * Any object may hold "source": a string for all of its values, or an object that has one for
 * each key. A source that says "assumed" (in any case) makes the value an assumption.
 */
#ifndef DTS_SIM_NET_PLATFORM_SOURCES_H
#define DTS_SIM_NET_PLATFORM_SOURCES_H

#include "sim/net/platform/platform.h"

/* Fill platform->assumed, which dts_platform_free() releases, from the file, and from the
 * transports in use. */
bool dts_platform_read_sources(struct dts_platform *platform, const struct dts_cfg *top,
                               struct dts_error *err);

#endif

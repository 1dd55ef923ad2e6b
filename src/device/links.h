/* links.h -- "links" of a device file: what joins a device to others and to its host. */
#ifndef DTS_DEVICE_LINKS_H
#define DTS_DEVICE_LINKS_H

#include "base/json/cfg.h"
#include "device/device.h"

extern const struct dts_field dts_device_links_fields[]; // of struct dts_device_links

/* Do they go together? at: "links". */
bool dts_device_links_check(const struct dts_device_links *links, const struct dts_cfg *at,
                            struct dts_error *err);

#endif

/* platform_parts.h -- the parts of a platform file in the making. */
#ifndef DTS_CLI_PLATFORM_PARTS_H
#define DTS_CLI_PLATFORM_PARTS_H

#include "cli/draft.h"
#include "device/device.h"

/* The options whose answers are values of the file; NULL at the end. */
const char *dts_platform_option(int i);

/* Write all keys from "nodes" on. device is loaded, and the caller's to free. */
bool dts_platform_parts(struct dts_draft *draft, struct dts_device *device,
                        struct dts_error *err);

#endif

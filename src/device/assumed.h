/* assumed.h -- which values of a device or stack file nobody published.
 *
 * Such a file ends with "assumed": ["efficiency.conv", "anchors[0].fixed_s"], paths of values
 * in the same file. A path that leads to nothing is an error: the list cannot go stale.
 */
#ifndef DTS_DEVICE_ASSUMED_H
#define DTS_DEVICE_ASSUMED_H

#include "base/json/cfg.h"

/* Read the list (it may not exist) into paths, at most `most`; `top` is the file's top. The
 * strings belong to the document. */
bool dts_assumed_read(const struct dts_cfg *list, const struct dts_cfg *top, const char **paths,
                      int most, int *count, struct dts_error *err);

/* Is this path in the list, or does one in the list lie below it? "anchors[0]" is when
 * "anchors[0].fixed_s" is. */
bool dts_assumed_has(const char *const *paths, int count, const char *path);

#endif

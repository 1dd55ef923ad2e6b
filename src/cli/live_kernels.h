/* live_kernels.h -- the executor that trains for real: a network's kernels on this rank's
 * samples (exec/network.h), gradients where the plan's messages take them from.
 */
#ifndef DTS_CLI_LIVE_KERNELS_H
#define DTS_CLI_LIVE_KERNELS_H

#include "cli/live_set.h"
#include "live/executor.h"

/* What the executor is told of the point: dts_live.context. */
struct dts_live_kernels {
    const struct dts_point *point;
    const struct dts_live_settings *settings;
    double first_loss, last_loss; // mean over this rank's samples; filled while it runs
};

/* NULL: a build without kernels. */
const struct dts_executor *dts_live_kernels(void);

#endif

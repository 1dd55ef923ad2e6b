/* live_fit.h -- where the ranks of a training compute, beside what its device's profile says.
 */
#ifndef DTS_CLI_LIVE_FIT_H
#define DTS_CLI_LIVE_FIT_H

#include "cli/live_kernels.h"
#include "cli/profile_fit.h"

/* Every rank calls it at the same place; rank 0 gets all but its pace. */
void dts_live_fit(const struct dts_live_kernels *kernels, struct dts_profile_fit *fit);

#endif

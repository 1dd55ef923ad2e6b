/* become_live.h -- dtsim and dtsim-live are two programs that lie side by side. */
#ifndef DTS_CLI_BECOME_LIVE_H
#define DTS_CLI_BECOME_LIVE_H

#include "base/error.h"

/* Become dtsim-live, with the same words. Comes back only when that cannot be. */
bool dts_become_live(char **words, struct dts_error *err);

#endif

/* live_calibrate.h -- `dtsim calibrate` under mpirun: measures, and writes a platform file. */
#ifndef DTS_CLI_LIVE_CALIBRATE_H
#define DTS_CLI_LIVE_CALIBRATE_H

#include "cli/options.h"
#include "live/wire.h"

/* Every rank calls it; rank 0 writes options->output. */
bool dts_live_calibrate(const struct dts_options *options, const struct dts_wire *wire,
                        struct dts_error *err);

#endif

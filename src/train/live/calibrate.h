/* calibrate.h -- `dtsim calibrate` under mpirun: measures, and writes a platform file. */
#ifndef DTS_TRAIN_LIVE_CALIBRATE_H
#define DTS_TRAIN_LIVE_CALIBRATE_H

#include "live/wire.h"

/* Every rank calls it; rank 0 writes the platform file `output`, "-": standard output. */
bool dts_live_calibrate(const char *output, const struct dts_wire *wire, struct dts_error *err);

#endif

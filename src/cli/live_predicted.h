/* live_predicted.h -- the prediction of a point that was run: dtsim is asked, as a child, since
 * the simulator cannot be in a program with MPI.
 */
#ifndef DTS_CLI_LIVE_PREDICTED_H
#define DTS_CLI_LIVE_PREDICTED_H

#include "cli/comparison.h"
#include "cli/live_set.h"

/* Fills the side "predicted". `word` names the scenario as on the command line. The engine that
 * answered goes to `engine`. A timeline is left at `trace` where that is not NULL. */
bool dts_live_predict(const struct dts_options *options, const char *word,
                      const struct dts_live_point *point, const char *trace,
                      struct dts_comparison *comparison, char *engine, size_t room,
                      struct dts_error *err);

#endif

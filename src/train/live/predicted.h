/* predicted.h -- the prediction of the points that are to run: dtsim is asked, as a child,
 * since the simulator cannot be in a program with MPI. Before the run: so that what it is held
 * against does not change while hours pass, and what cannot be predicted is known at once.
 */
#ifndef DTS_TRAIN_LIVE_PREDICTED_H
#define DTS_TRAIN_LIVE_PREDICTED_H

#include "train/live/set.h"

/* Fills the side "predicted" of each point's comparison. A point that the engine refuses gets
 * the reason as its error; fails when no point is left, or where the machine failed. `word`
 * names the scenario as on the command line. The file `timeline`, unless NULL, has that of the
 * last point that can run. Called on rank 0. */
bool dts_live_predict(const struct dts_changes *changes, const char *word, const char *timeline,
                      struct dts_live_set *set, struct dts_error *err);

#endif

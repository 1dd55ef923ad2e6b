/* train.h -- `dtsim-measure train`: one run of `dtsim converge`. */
#ifndef DTS_CLI_MEASURE_TRAIN_H
#define DTS_CLI_MEASURE_TRAIN_H

#include "base/error.h"

/* words: the run as JSON (train/scenario/target_run.h), the file for its end, the scenario, its
 * seed or "-", and pairs of what --set changes, ended by NULL. */
bool dts_measure_train(char **words, struct dts_error *err);

#endif

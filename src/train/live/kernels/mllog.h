/* mllog.h -- a log of training as MLPerf's rules want it: lines that begin with ":::MLLOG"
 * and hold JSON, with the keys of mlperf_logging
 * (https://github.com/mlcommons/logging, mlperf_logging/mllog/constants.py).
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_MLLOG_H
#define DTS_TRAIN_LIVE_KERNELS_MLLOG_H

#include <stdio.h>

#include "answer/live/trained.h"
#include "train/live/kernels/rank.h"

/* Rank 0's; on others it stays {0}, and logs nothing. */
struct dts_mllog {
    FILE *out;
    const char *path;
    int error; // errno of the first line that could not be written
};

/* "-": standard error. A run that goes on from a checkpoint adds to the file. */
bool dts_mllog_open(struct dts_mllog *log, const char *path, bool add, struct dts_error *err);

/* Says so where something could not be written. */
bool dts_mllog_close(struct dts_mllog *log, struct dts_error *err);

void dts_mllog_run_start(struct dts_mllog *log, const struct dts_live_kernels *kernels);
void dts_mllog_run_stop(struct dts_mllog *log, bool success);

/* Epochs count from 1. */
void dts_mllog_epoch_start(struct dts_mllog *log, long epoch);
void dts_mllog_epoch_stop(struct dts_mllog *log, long epoch);
void dts_mllog_eval_start(struct dts_mllog *log, long epoch);
void dts_mllog_eval_stop(struct dts_mllog *log, const struct dts_trained_epoch *epoch);

#endif

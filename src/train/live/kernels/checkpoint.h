/* checkpoint.h -- a training that was interrupted goes on from a file of rank 0. */
#ifndef DTS_TRAIN_LIVE_KERNELS_CHECKPOINT_H
#define DTS_TRAIN_LIVE_KERNELS_CHECKPOINT_H

#include "live/wire.h"
#include "train/live/kernels/rank.h"

/* Every rank calls these. The second of several strategies would go on from the first one's
 * checkpoint, and replace its log and weights. */
bool dts_live_files_fit(const struct dts_live_kernels *kernels, struct dts_error *err);

/* Go on from the file, where there is one: all ranks have the state of that step, and *step. */
bool dts_live_checkpoint_read(struct dts_live_kernels *kernels, const struct dts_wire *wire,
                              long *step, struct dts_error *err);

/* Rank 0 keeps the state between two steps. Running statistics of all are rank 0's (else a run
 * that goes on would differ from one that was not interrupted). */
bool dts_live_checkpoint_write(struct dts_live_kernels *kernels, const struct dts_wire *wire,
                               long step, struct dts_error *err);

/* Is there one to be written after this step? And after which step the next one. */
bool dts_live_checkpoint_due(const struct dts_live_kernels *kernels, long step);
long dts_live_checkpoint_next(const struct dts_live_kernels *kernels, long step);

#endif

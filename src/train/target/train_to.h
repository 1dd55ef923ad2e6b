/* train_to.h -- one process trains a network until enough of its test samples are right.
 *
 * A step has batch/microbatch microbatches, one behind the other, whose gradients are added:
 * any batch fits into memory, and batch normalization sees a microbatch whatever the batch, as
 * on devices with as many samples each. Where a step has two microbatches or more the noise
 * scale is measured, from the first one and from all (base/noise_scale.h).
 */
#ifndef DTS_TRAIN_TARGET_TRAIN_TO_H
#define DTS_TRAIN_TARGET_TRAIN_TO_H

#include "train/scenario/scenario.h"
#include "train/scenario/target_run.h"

/* Trains by the scenario's model, data, optimizer, schedule and threads. A run whose loss is
 * not finite ends there; it has not reached the target. Deterministic. Fails where network or
 * data cannot be had. */
bool dts_train_to(const struct dts_scenario *scenario, const struct dts_target_run *run,
                  struct dts_target_end *end, struct dts_error *err);

#endif

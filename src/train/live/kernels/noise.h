/* noise.h -- the gradient noise scale of a live run, `live.noise_scale` (base/noise_scale.h).
 *
 * Small batch: the samples of a rank in a step, whose gradient is squared layer by layer as
 * backward ends, before a message takes it. A lone rank has accumulation instead: the gradient
 * after its first microbatch. Large batch: all samples of the step; of the mean that the update
 * gets each rank squares its share. Both are a pass over a gradient that is read anyway.
 *
 * A step keeps two numbers on each rank. They are collected between runs of the plan, so no
 * message is added to a step.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_NOISE_H
#define DTS_TRAIN_LIVE_KERNELS_NOISE_H

#include "base/noise_scale.h"
#include "train/live/kernels/rank.h"

/* Of one rank, workers and servers. */
struct dts_live_noise;

/* Fails where a step has one batch only (DTS_BAD_INPUT), or where gradients are not whole
 * arrays in the host's memory (DTS_UNSUPPORTED). Leaves kernels->noise NULL where the scenario
 * wants none. */
bool dts_live_noise_open(struct dts_live_kernels *kernels, struct dts_error *err);
void dts_live_noise_close(struct dts_live_noise *noise); // NULL: nothing

/* The following do nothing where there is none. */

/* Before a run of so many steps. */
void dts_live_noise_begin(struct dts_live_kernels *kernels, long steps);

/* Within a step: after a backward call; before a worker's update; before a server's, of these
 * gradients. */
void dts_live_noise_backward(struct dts_live_kernels *kernels, const struct dts_call *call);
void dts_live_noise_update(struct dts_live_kernels *kernels);
void dts_live_noise_served(struct dts_live_kernels *kernels, long step, const float *gradients,
                           size_t count);

/* After the run: every rank calls it, and rank 0 adds the steps to `noise`. Steps whose
 * gradients were not finite are left out. */
void dts_live_noise_collect(struct dts_live_kernels *kernels, struct dts_noise_scale *noise);

#endif

/* whole.h -- the state of the whole model, of which ranks have parts, and what all ranks have
 * alike.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_WHOLE_H
#define DTS_TRAIN_LIVE_KERNELS_WHOLE_H

#include "train/live/kernels/rank.h"

/* Of the whole model, from all ranks that train: every rank calls it and gets all, zeros where
 * nobody has anything. */
float *dts_live_whole_weights(const struct dts_live_kernels *kernels);
void *dts_live_whole_states(const struct dts_live_kernels *kernels, size_t *bytes);
float *dts_live_whole_optimizer(const struct dts_live_kernels *kernels, size_t *count);

/* What this rank has of them; NULL: stays. */
void dts_live_take_weights(struct dts_live_kernels *kernels, const float *whole);
void dts_live_take_states(struct dts_live_kernels *kernels, const void *whole);
void dts_live_take_optimizer(struct dts_live_kernels *kernels, float *whole);

/* A network of the whole model with the weights and statistics of now, to be evaluated; every
 * rank of workers calls it. Fails without memory. */
bool dts_live_evaluator(struct dts_live_kernels *kernels, struct dts_network **network,
                        struct dts_error *err);

#endif

/* parts.h -- the networks of a worker, one for each part of the model that its seat has, and
 * the optimizers of what it updates.
 *
 * Parts lie in arrays of the rank, as their plan's buffers have them: gradients in that of
 * DTS_GRADIENTS, in the layout of the parts together (train/network/layout.h); what goes over
 * cuts in buffers of its own. A rank that has the whole network leaves its weights to it.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_PARTS_H
#define DTS_TRAIN_LIVE_KERNELS_PARTS_H

#include "train/live/kernels/rank.h"

/* kernels->network and kernels->parts are there afterwards. `lists`: gradients of sparse tables
 * are lists. Fails (DTS_UNSUPPORTED) where the plan has what kernels cannot do. */
bool dts_live_parts_open(struct dts_live_kernels *kernels, bool lists, struct dts_error *err);
void dts_live_parts_close(struct dts_live_parts *parts); // NULL: nothing

/* One update of all that this rank updates, by gradients of which each is factor times what is
 * there. */
void dts_live_parts_update(struct dts_live_kernels *kernels,
                           const struct dts_update_settings *settings, float factor);

#endif

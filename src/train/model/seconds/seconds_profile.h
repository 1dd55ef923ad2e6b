/* seconds_profile.h -- seconds of each layer from a device's profile. */
#ifndef DTS_TRAIN_MODEL_SECONDS_SECONDS_PROFILE_H
#define DTS_TRAIN_MODEL_SECONDS_SECONDS_PROFILE_H

#include "train/model/calls.h"

/* What one layer needs. */
struct dts_profile_work dts_layer_work(const struct dts_layer *layer);

/* What call l of a network needs, all layers that it carries out together. */
struct dts_profile_work dts_call_work(const struct dts_model *model,
                                      const struct dts_layer_call *calls, int l);

/* What a call beside those of layers needs (train/model/calls.h). */
struct dts_profile_work dts_beside_work(const struct dts_op_call *call);

/* One of fewer values takes microseconds, is not measured and not counted: it takes as long as
 * its bytes at the memory's rate, on a CPU within the layer's call, on a GPU as a call. */
enum { DTS_BESIDE_LEAST = 16384 };

/* "8" or "8 to 64" */
struct dts_batches {
    char chars[32];
};
struct dts_batches dts_batches_from(int first, int last);

/* Say that a batch is outside of those from `first` to `last` that were `known`: "measured". */
void dts_seconds_outside(struct dts_model_seconds *out, double batch, const char *known,
                         int first, int last);

/* Fill forward, backward, update, basis and outside; forward and backward are allocated. The
 * device has a profile in this precision; roofline_update_s: for an optimizer that is not in
 * it. A profile has the lookups of one device, and the update of rows: where gradients are
 * exchanged, a lookup's way back is the dense one, its table is cleared and searched. */
void dts_seconds_from_profile(const struct dts_model *model, const struct dts_device *device,
                              const struct dts_optimizer *optimizer,
                              const struct dts_samples *samples, double roofline_update_s,
                              struct dts_model_seconds *out);

#endif

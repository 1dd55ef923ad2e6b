/* kernel_seconds.h -- the roofline of a device as a stack's kernels reach it (stack.kernels).
 */
#ifndef DTS_TRAIN_MODEL_SECONDS_KERNEL_SECONDS_H
#define DTS_TRAIN_MODEL_SECONDS_KERNEL_SECONDS_H

#include "device/profile_estimate.h"
#include "device/stack.h"
#include "train/model/model.h"

/* The device with the shares of its rates that the stack says; attention: that of products, 0:
 * as the stack says. Borrows from `bare`: not to be freed. */
struct dts_device dts_kernel_device(const struct dts_device *bare,
                                    const struct dts_stack *stack, double attention);

/* Both passes of layer l. */
void dts_kernel_seconds(const struct dts_device *device, const struct dts_stack *stack,
                        enum dts_precision precision, double batch,
                        const struct dts_model *model, int l, double *forward_s,
                        double *backward_s);

/* The roofline of a layer's work, with the casts of its call where its products are in 8 bits.
 */
void dts_layer_seconds(const struct dts_device *device, enum dts_precision precision,
                       const struct dts_layer *layer, const struct dts_op_call *call,
                       const struct dts_profile_work *work, double batch, double *forward_s,
                       double *backward_s);

/* Once a step the weights of such layers are cast, of so many parameters. */
double dts_weight_cast_seconds(const struct dts_device *device, enum dts_precision precision,
                               double parameters);

#endif

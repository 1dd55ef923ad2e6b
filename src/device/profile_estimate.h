/* profile_estimate.h -- seconds of a call that was not measured, from those that were.
 *
 * A call's time has four parts: its arithmetic at the device's peak, the values and the weights
 * that it moves at the memory's rate, and the call itself. Measured calls of the same operation
 * tell which multiple of each it takes (device/parts_fit.h): a call counts the more the nearer
 * it is, by weight 1 / (d^2 + 0.1)^2, d the distance in the logarithms of operations, values
 * moved and weights, and, 3 times as much in d^2, of how often a product uses a weight, which
 * is as often as it has rows; other settings, such as a window of another size, are 1 more in
 * d^2, and 16 where other code computes them: windows over volumes instead of images, and
 * convolutions of neighbours by 3 x 3, which go by fewer products (Winograd; Lavin and Gray
 * 2016, arXiv:1509.09308), instead of others. So that few and far ones do not tell alone, the
 * answer is the mean of the logarithms of theirs, by the sum of their weights, and of the
 * roofline's, by that of a call at d^2 = 10. The form and these numbers are ASSUMED; how well
 * they tell networks from others is in docs/validation-kernels.md. Without calls of the
 * same operation those of its class stand in, by their distance in the logarithm of the parts'
 * sum; without any the roofline stands alone.
 */
#ifndef DTS_DEVICE_PROFILE_ESTIMATE_H
#define DTS_DEVICE_PROFILE_ESTIMATE_H

#include "device/device.h"

/* What seconds that were measured at a batch become at another one: they grow as the roofline's
 * do, so that what a call reads whatever the batch does not. */
void dts_profile_scale(const struct dts_device *device, const struct dts_profile_work *work,
                       double from_batch, double to_batch, double *forward_s,
                       double *backward_s);

/* What tells a call that was not measured: measured calls of its operation, or others of its
 * class; or, where these are few and far, above all the roofline. */
enum dts_told { DTS_TOLD_BY_LIKE, DTS_TOLD_BY_CLASS, DTS_TOLD_BY_ROOFLINE, DTS_TOLD_WAYS };

/* call: its key (kernels/call/op_call.h). */
enum dts_told dts_profile_estimate(const struct dts_device *device, const char *call,
                                   const struct dts_profile_work *work, double batch,
                                   double *forward_s, double *backward_s);

/* By the roofline alone. A call reads the weights once, whatever the batch; backward reads them
 * and writes as many gradients. */
void dts_roofline_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s);

#endif

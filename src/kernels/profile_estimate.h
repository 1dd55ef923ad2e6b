/* profile_estimate.h -- seconds of a call that was not measured, from those that were.
 *
 * The roofline says how long the call takes at the least. Measured calls of the same operation
 * took a multiple of theirs. The estimate is the roofline's time times the multiple that a
 * plane through theirs has at this call: least squares of ln(multiple) over the logarithms of
 * operations, values moved and weights, where a call counts the more the nearer it is (weight
 * 1 / (d^2 + 0.1)^2, d the distance in these logarithms; other settings, such as a window of
 * another size, are a distance of 1 more); slopes are held small (a ridge of 0.3 of all
 * weights), and the answer within what was measured. The form and these numbers are ASSUMED,
 * chosen among others for how well they tell each of twelve networks from made ones
 * (docs/model.md). Without calls of the same operation those of its class stand in, with the
 * roofline's time instead of the three; without any the roofline stands alone.
 */
#ifndef DTS_KERNELS_PROFILE_ESTIMATE_H
#define DTS_KERNELS_PROFILE_ESTIMATE_H

#include "kernels/device.h"

/* What seconds that were measured at a batch become at another one: they grow as the roofline's
 * do, so that what a call reads whatever the batch does not. */
void dts_profile_scale(const struct dts_device *device, const struct dts_profile_work *work,
                       double from_batch, double to_batch, double *forward_s,
                       double *backward_s);

/* call: its key (kernels/op_call.h). */
void dts_profile_estimate(const struct dts_device *device, const char *call,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s);

/* By the roofline alone. A call reads the weights once, whatever the batch; backward reads them
 * and writes as many gradients. */
void dts_roofline_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s);

#endif

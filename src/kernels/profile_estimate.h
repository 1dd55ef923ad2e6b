/* profile_estimate.h -- seconds of a call that was not measured, from those that were.
 *
 * The roofline says how long the call takes at the least. Measured calls of the same operation
 * took a multiple of theirs; the estimate is the roofline's time times a geometric mean of
 * these multiples, where a call counts the more the nearer it is: weight 1 / (d^2 + 0.1), d^2
 * the sum of the squares of ln(flops / flops) and ln(values / values). The form and 0.1 are
 * ASSUMED; docs/validation.md shows how well it does. Without calls of the same operation those
 * of its class stand in, without any the roofline stands alone.
 */
#ifndef DTS_KERNELS_PROFILE_ESTIMATE_H
#define DTS_KERNELS_PROFILE_ESTIMATE_H

#include "kernels/device.h"

/* op: the first word of the call's key. */
void dts_profile_estimate(const struct dts_device *device, const char *op,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s);

/* By the roofline alone. A call reads the weights once, whatever the batch; backward reads them
 * and writes as many gradients. */
void dts_roofline_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s);

#endif

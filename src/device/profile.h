/* profile.h -- seconds of calls as they were measured on a device; part of its file.
 *
 *     "profile": {
 *         "precision": "fp32", "threads": 1, "library": "OpenBLAS 0.3.21 ...", "model":
 * "resnet50", "kernels": [
 *             {"call": "conv 64x56x56 > 64x56x56 kernel 3x3 before 1x1", "class": "conv", ...,
 *              "points": [{"batch": 8, "forward_s": 0.01, "backward_s": 0.02, ...}]}],
 *         "updates": [{"optimizer": "momentum", "parameters": 25557032, "update_s": 0.02}]}
 *
 * `dtsim profile` writes it. A call is found by its key (op_call.h). Between measured batches
 * seconds are linear in the batch, outside they grow from the nearest one as the roofline's
 * do, and are said to be outside.
 * A call that was not measured is told by like ones and, where these are few and far, by the
 * roofline (device/profile_estimate.h).
 */
#ifndef DTS_DEVICE_PROFILE_H
#define DTS_DEVICE_PROFILE_H

#include "base/json/keys.h"

/* One call at one batch. MAD and the least say how sure the median is. */
struct dts_profile_point {
    int batch;
    double forward_s, forward_mad_s, forward_least_s;
    double backward_s, backward_mad_s, backward_least_s; // 0: has no backward call
    double memory_bytes;                                 // that the call's arrays took
};

/* What the call needs at the least, per sample, for the roofline; weights once a call. */
struct dts_profile_work {
    int class; // enum dts_work_class
    double forward_flops, backward_flops, forward_values, backward_values, weight_values;
    double rows, columns, input_rows,
        input_columns; // of a product (kernels/op_cost.h); 0: none
    bool apart;        // as there
};

struct dts_profile_kernel {
    const char *call;
    struct dts_profile_work work;
    struct dts_profile_point *points; // owned; by batch, ascending
    int point_count;
};

struct dts_profile_update {
    const char *optimizer;
    double parameters, update_s, update_mad_s, update_least_s;
};

struct dts_profile {
    int precision;                    // enum dts_precision
    int threads;                      // of the processor; 0: the device has none to count
    double disturbed_percent;         // of the runs: those off the usual pace (measure.h)
    double pace_s;                    // the usual one; 0: the device has none
    double clock_hz, memory_clock_hz; // the highest; 0: not known
    const char *models, *device, *dtsim, *library;
    struct dts_profile_kernel *kernels; // owned; NULL: there is no profile
    struct dts_profile_update *updates; // owned
    int kernel_count, update_count;
};

/* Whether seconds in that precision (enum dts_precision) come from it. */
static inline bool dts_profile_tells(const struct dts_profile *profile, int precision)
{
    return profile->kernels != NULL && profile->precision == precision;
}

/* Read "profile" of a device file. */
bool dts_profile_read(struct dts_profile *profile, const struct dts_cfg *at,
                      struct dts_error *err);
void dts_profile_free(struct dts_profile *profile); // leaves it empty
void dts_profile_keys(struct dts_keys *keys);

/* Seconds of a call that was measured; NULL: it was not. *nearest: the batch that they are of,
 * other than `batch` where that is beyond all that were measured. */
const struct dts_profile_kernel *dts_profile_find(const struct dts_profile *profile,
                                                  const char *call, double batch,
                                                  double *forward_s, double *backward_s,
                                                  double *nearest);

#endif

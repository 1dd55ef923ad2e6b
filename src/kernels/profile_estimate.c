/* profile_estimate.c -- from measured calls to one that was not. */
#include "kernels/profile_estimate.h"

#include <math.h>
#include <string.h>

static const double nearness = 0.1; // ASSUMED (estimate.h)

/* Both directions of a call by the roofline, or of what was measured. */
struct both {
    double forward, backward;
};

void dts_roofline_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s)
{
    const double bytes = (double)dts_precision_bytes(precision);
    const struct dts_work forward = {
        .class = (enum dts_work_class)work->class,
        .flops = batch * work->forward_flops,
        .bytes = (batch * work->forward_values + work->weight_values) * bytes,
    };
    const struct dts_work backward = {
        .class = forward.class,
        .flops = batch * work->backward_flops,
        .bytes = (batch * work->backward_values + 2 * work->weight_values) * bytes,
    };
    *forward_s = dts_device_seconds(device, precision, &forward);
    *backward_s = dts_device_seconds(device, precision, &backward);
}

static struct both by_roofline(const struct dts_device *device,
                               const struct dts_profile_work *work, double batch)
{
    struct both both;
    dts_roofline_seconds(device, (enum dts_precision)device->profile.precision, work, batch,
                         &both.forward, &both.backward);
    return both;
}

static double squared_log(double a, double b)
{
    const double distance = log(fmax(a, 1) / fmax(b, 1));
    return distance * distance;
}

static bool is_of(const struct dts_profile_kernel *kernel, const char *op)
{
    const size_t length = strlen(op);
    return strncmp(kernel->call, op, length) == 0 && kernel->call[length] == ' ';
}

/* Sums of weights and of weighted logarithms of the multiples. */
struct sums {
    struct both weight, log_ratio;
};

static void add_kernel(struct sums *sums, const struct dts_device *device,
                       const struct dts_profile_kernel *kernel,
                       const struct dts_profile_work *work, double batch)
{
    for (int i = 0; i < kernel->point_count; i++) {
        const struct dts_profile_point *point = &kernel->points[i];
        const struct both least = by_roofline(device, &kernel->work, point->batch);
        const double d2 = squared_log(batch * work->forward_flops,
                                      point->batch * kernel->work.forward_flops) +
                          squared_log(batch * work->forward_values + work->weight_values,
                                      point->batch * kernel->work.forward_values +
                                          kernel->work.weight_values);
        const double weight = 1 / (d2 + nearness);
        if (least.forward > 0) {
            sums->weight.forward += weight;
            sums->log_ratio.forward += weight * log(point->forward_s / least.forward);
        }
        if (least.backward > 0 && point->backward_s > 0) {
            sums->weight.backward += weight;
            sums->log_ratio.backward += weight * log(point->backward_s / least.backward);
        }
    }
}

static double ratio(double log_sum, double weight)
{
    return weight > 0 ? exp(log_sum / weight) : 1;
}

void dts_profile_estimate(const struct dts_device *device, const char *op,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s)
{
    const struct dts_profile *profile = &device->profile;
    struct sums sums = {.weight = {0, 0}};
    for (int i = 0; i < profile->kernel_count; i++)
        if (is_of(&profile->kernels[i], op))
            add_kernel(&sums, device, &profile->kernels[i], work, batch);
    for (int i = 0; i < profile->kernel_count && sums.weight.forward <= 0; i++)
        if (profile->kernels[i].work.class == work->class)
            add_kernel(&sums, device, &profile->kernels[i], work, batch);
    const struct both least = by_roofline(device, work, batch);
    *forward_s = least.forward * ratio(sums.log_ratio.forward, sums.weight.forward);
    *backward_s = least.backward * ratio(sums.log_ratio.backward, sums.weight.backward);
}

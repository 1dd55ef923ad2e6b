/* profile_estimate.c -- from measured calls to one that was not. */
#include "kernels/profile_estimate.h"

#include <math.h>
#include <string.h>

static const double nearness = 0.1, ridge = 0.3, other = 1; // ASSUMED (profile_estimate.h)

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

void dts_profile_scale(const struct dts_device *device, const struct dts_profile_work *work,
                       double from_batch, double to_batch, double *forward_s,
                       double *backward_s)
{
    const struct both from = by_roofline(device, work, from_batch),
                      to = by_roofline(device, work, to_batch);
    *forward_s *= from.forward > 0 ? to.forward / from.forward : to_batch / from_batch;
    *backward_s *= from.backward > 0 ? to.backward / from.backward : to_batch / from_batch;
}

/* Both are of one operation: the first words are the same. */
static bool is_alike(const char *a, const char *b)
{
    const size_t length = strcspn(a, " ");
    return strcspn(b, " ") == length && strncmp(a, b, length) == 0;
}

/* Steps over the next word of a call's settings that says how it is computed; its length, 0 at
 * the end. What a bias adds, and a first layer saves, is counted in operations. */
static size_t next_setting(const char **at)
{
    for (;;) {
        *at += strspn(*at, " ");
        const size_t length = strcspn(*at, " ");
        const bool counted = (length == 4 && strncmp(*at, "bias", length) == 0) ||
                             (length == 5 && strncmp(*at, "first", length) == 0);
        if (!counted)
            return length;
        *at += length;
    }
}

/* Behind the sizes of the output. */
static const char *settings_of(const char *call)
{
    const char *output = strstr(call, " > ");
    return output == NULL ? "" : output + 3 + strcspn(output + 3, " ");
}

static bool have_same_settings(const char *a, const char *b)
{
    a = settings_of(a);
    b = settings_of(b);
    for (;;) {
        const size_t length = next_setting(&a);
        if (next_setting(&b) != length || strncmp(a, b, length) != 0)
            return false;
        if (length == 0)
            return true;
        a += length;
        b += length;
    }
}

/* A height and three slopes, along the logarithms of operations, values and weights. */
enum { TERMS = 4 };

/* Weighted sums for the least squares, and how far the multiples reach. */
struct sums {
    double products[TERMS][TERMS], right[TERMS];
    double least, most; // ln of the multiples
};

static void empty(struct sums *sums)
{
    *sums = (struct sums){.least = INFINITY, .most = -INFINITY};
}

/* further: of the distance, squared, beside that along the terms. */
static void add(struct sums *sums, const double terms[TERMS], double further,
                double log_multiple)
{
    double d2 = further;
    for (int i = 1; i < TERMS; i++)
        d2 += terms[i] * terms[i];
    const double weight = 1 / ((d2 + nearness) * (d2 + nearness));
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j < TERMS; j++)
            sums->products[i][j] += weight * terms[i] * terms[j];
        sums->right[i] += weight * terms[i] * log_multiple;
    }
    sums->least = fmin(sums->least, log_multiple);
    sums->most = fmax(sums->most, log_multiple);
}

static double log_ratio(double a, double b)
{
    return log(fmax(a, 1) / fmax(b, 1));
}

/* The multiple where all logarithms of ratios are 0: Gaussian elimination from the last term on
 * leaves the height. The matrix is positive definite: pivots are. */
static double multiple(struct sums sums)
{
    const double weight = sums.products[0][0];
    if (weight <= 0)
        return 1;
    for (int i = 1; i < TERMS; i++)
        sums.products[i][i] += ridge * weight;
    for (int k = TERMS - 1; k > 0; k--)
        for (int i = 0; i < k; i++) {
            const double share = sums.products[i][k] / sums.products[k][k];
            for (int j = 0; j <= k; j++)
                sums.products[i][j] -= share * sums.products[k][j];
            sums.right[i] -= share * sums.right[k];
        }
    const double height = sums.right[0] / sums.products[0][0];
    return exp(fmin(fmax(height, sums.least), sums.most));
}

/* A call that is asked for. */
struct asked {
    const struct dts_device *device;
    const char *call;
    const struct dts_profile_work *work;
    double batch;
    struct both least; // by the roofline
};

/* How far a measured call is from it: along operations, values and weights where both are of
 * one operation; else along the roofline's time, because other operations have other shares of
 * them.
 */
static void find_terms(double terms[TERMS], const struct asked *asked, bool alike,
                       const struct dts_profile_work *work, double batch, double least_s)
{
    memset(terms, 0, TERMS * sizeof(*terms));
    terms[0] = 1;
    terms[1] = log(least_s / asked->least.forward);
    if (!alike)
        return;
    terms[1] =
        log_ratio(batch * work->forward_flops, asked->batch * asked->work->forward_flops);
    terms[2] =
        log_ratio(batch * work->forward_values, asked->batch * asked->work->forward_values);
    terms[3] = log_ratio(work->weight_values, asked->work->weight_values);
}

/* What is measured of a kernel, seen from the call that is asked for. */
static void add_kernel(struct sums *forward, struct sums *backward, const struct asked *asked,
                       bool alike, const struct dts_profile_kernel *kernel)
{
    const double further = !alike || have_same_settings(kernel->call, asked->call) ? 0 : other;
    for (int i = 0; i < kernel->point_count; i++) {
        const struct dts_profile_point *point = &kernel->points[i];
        const struct both least = by_roofline(asked->device, &kernel->work, point->batch);
        double terms[TERMS];
        if (least.forward <= 0 || asked->least.forward <= 0)
            continue;
        find_terms(terms, asked, alike, &kernel->work, point->batch, least.forward);
        add(forward, terms, further, log(point->forward_s / least.forward));
        if (least.backward > 0 && point->backward_s > 0)
            add(backward, terms, further, log(point->backward_s / least.backward));
    }
}

void dts_profile_estimate(const struct dts_device *device, const char *call,
                          const struct dts_profile_work *work, double batch, double *forward_s,
                          double *backward_s)
{
    const struct dts_profile *profile = &device->profile;
    const struct asked asked = {device, call, work, batch, by_roofline(device, work, batch)};
    struct sums forward, backward;
    empty(&forward);
    empty(&backward);
    for (int i = 0; i < profile->kernel_count; i++)
        if (is_alike(profile->kernels[i].call, call))
            add_kernel(&forward, &backward, &asked, true, &profile->kernels[i]);
    const bool alike = forward.products[0][0] > 0;
    for (int i = 0; i < profile->kernel_count && !alike; i++)
        if (profile->kernels[i].work.class == work->class)
            add_kernel(&forward, &backward, &asked, false, &profile->kernels[i]);
    *forward_s = asked.least.forward * multiple(forward);
    *backward_s = asked.least.backward * multiple(backward);
}

/* profile_estimate.c -- from measured calls to one that was not. */
#include "device/profile_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/parts_fit.h"

// ASSUMED (profile_estimate.h)
static const double nearness = 0.1, other = 1, other_code = 16, other_use = 3, of_roofline = 10;

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
        .rows = batch * work->rows,
        .columns = work->columns,
        .filling = 1,
        .apart = work->apart,
    };
    const struct dts_work backward = {
        .class = forward.class,
        .flops = batch * work->backward_flops,
        .bytes = (batch * work->backward_values + 2 * work->weight_values) * bytes,
        .rows = batch * work->input_rows,
        .columns = work->input_columns,
        .filling = 0.5, // sums for the gradients of weights are cut until they fill it
        .apart = work->apart,
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

/* What computes a call's windows: as many axes as they have, 2 of images and 3 of volumes; 0:
 * it has none; or convolutions of neighbours by 3 x 3, which go by fewer products. */
enum { BY_FEWER_PRODUCTS = -1 };

static int code_of(const char *call)
{
    const char *settings = settings_of(call), *size = strstr(settings, " kernel ");
    if (size == NULL)
        return 0;
    size += strlen(" kernel ");
    const size_t length = strcspn(size, " ");
    int axes = 1;
    for (size_t i = 0; i < length; i++)
        axes += size[i] == 'x';
    const bool spread = strstr(settings, " stride ") != NULL ||
                        strstr(settings, " dilation ") != NULL ||
                        strstr(settings, " groups ") != NULL;
    const bool fewer =
        is_alike(call, "conv") && !spread && length == 3 && strncmp(size, "3x3", length) == 0;
    return fewer ? BY_FEWER_PRODUCTS : axes;
}

/* How far other settings than those asked for take a call away, squared. */
static double settings_distance2(const char *a, const char *b)
{
    if (have_same_settings(a, b))
        return 0;
    return code_of(a) == code_of(b) ? other : other_code;
}

/* Seconds of the parts at the device's rates. */
static void find_parts(double parts[DTS_PARTS], const struct dts_device *device,
                       const struct dts_profile_work *work, double batch, bool backward)
{
    const int precision = device->profile.precision;
    const double flops_per_s =
        device->peak_flops_per_s[precision] * device->efficiency[work->class];
    const double values_per_s = device->memory_bytes_per_s *
                                device->efficiency[DTS_WORK_MEMORY] /
                                (double)dts_precision_bytes((enum dts_precision)precision);
    const double flops = batch * (backward ? work->backward_flops : work->forward_flops);
    const double values = batch * (backward ? work->backward_values : work->forward_values);
    const double weights = (backward ? 2 : 1) * work->weight_values;
    parts[0] = flops / flops_per_s;
    parts[1] = values / values_per_s;
    parts[2] = weights / values_per_s;
    parts[3] = flops > 0 || values > 0 || weights > 0 ? device->call_s : 0;
}

static double squared_log_ratio(double a, double b)
{
    const double ratio = log(fmax(a, 1) / fmax(b, 1));
    return ratio * ratio;
}

/* How often a product uses each of its weights: of how many rows it is; 0: it has none. */
static double uses_of_weights(const struct dts_profile_work *work, double batch)
{
    const bool uses = work->class == DTS_WORK_MATMUL && work->weight_values > 0;
    return uses ? batch * work->forward_flops / work->weight_values : 0;
}

/* A call that is asked for. */
struct asked {
    const struct dts_device *device;
    const char *call;
    const struct dts_profile_work *work;
    double batch;
    double parts[2][DTS_PARTS]; // forward, backward
};

/* How far a measured call is from it, squared: along operations, values and weights where both
 * are of one operation; else along the time of the parts, because other operations have other
 * shares of them. */
static double distance2(const struct asked *asked, bool alike,
                        const struct dts_profile_kernel *kernel, double batch,
                        const double parts[DTS_PARTS])
{
    const struct dts_profile_work *work = &kernel->work;
    if (!alike) {
        const double ratio = log(dts_parts_sum(parts) / dts_parts_sum(asked->parts[0]));
        return ratio * ratio;
    }
    return squared_log_ratio(batch * work->forward_flops,
                             asked->batch * asked->work->forward_flops) +
           squared_log_ratio(batch * work->forward_values,
                             asked->batch * asked->work->forward_values) +
           squared_log_ratio(work->weight_values, asked->work->weight_values) +
           other_use * squared_log_ratio(uses_of_weights(work, batch),
                                         uses_of_weights(asked->work, asked->batch)) +
           settings_distance2(kernel->call, asked->call);
}

static double weight_at(double d2)
{
    return 1 / ((d2 + nearness) * (d2 + nearness));
}

/* What is measured forward and backward, seen from the call that is asked for. */
struct seen {
    struct dts_parts_row *rows; // owned
    size_t room;
    int count;
    double weight; // of all rows
};

static void add_row(struct seen *seen, const double parts[DTS_PARTS], double d2, double seconds)
{
    seen->rows =
        dts_grow(seen->rows, &seen->room, (size_t)seen->count + 1, sizeof(*seen->rows));
    struct dts_parts_row *row = &seen->rows[seen->count++];
    memcpy(row->parts, parts, sizeof(row->parts));
    row->seconds = seconds;
    row->weight = weight_at(d2);
    seen->weight += row->weight;
}

static void add_kernel(struct seen seen[2], const struct asked *asked, bool alike,
                       const struct dts_profile_kernel *kernel)
{
    for (int i = 0; i < kernel->point_count; i++) {
        const struct dts_profile_point *point = &kernel->points[i];
        double forward[DTS_PARTS], backward[DTS_PARTS];
        find_parts(forward, asked->device, &kernel->work, point->batch, false);
        find_parts(backward, asked->device, &kernel->work, point->batch, true);
        if (dts_parts_sum(forward) <= 0 || dts_parts_sum(asked->parts[0]) <= 0)
            continue;
        const double d2 = distance2(asked, alike, kernel, point->batch, forward);
        add_row(&seen[0], forward, d2, point->forward_s);
        if (dts_parts_sum(backward) > 0 && point->backward_s > 0)
            add_row(&seen[1], backward, d2, point->backward_s);
    }
}

/* Few and far calls do not tell alone: the mean of the logarithms of what they and the roofline
 * tell, each by its weight. */
static double seconds_of(const struct seen *seen, const double parts[DTS_PARTS],
                         double roofline_s)
{
    if (seen->count == 0 || dts_parts_sum(parts) <= 0)
        return roofline_s;
    const double told_s = dts_parts_seconds(seen->rows, seen->count, parts);
    const double weight = weight_at(of_roofline);
    return told_s * pow(roofline_s / told_s, weight / (weight + seen->weight));
}

/* Does the roofline tell more than they do? */
static bool is_far(const struct seen *seen, const double parts[DTS_PARTS])
{
    return dts_parts_sum(parts) > 0 && seen->weight <= weight_at(of_roofline);
}

enum dts_told dts_profile_estimate(const struct dts_device *device, const char *call,
                                   const struct dts_profile_work *work, double batch,
                                   double *forward_s, double *backward_s)
{
    const struct dts_profile *profile = &device->profile;
    const struct both roofline = by_roofline(device, work, batch);
    struct asked asked = {device, call, work, batch, {{0}}};
    struct seen seen[2] = {{NULL}};
    find_parts(asked.parts[0], device, work, batch, false);
    find_parts(asked.parts[1], device, work, batch, true);
    for (int i = 0; i < profile->kernel_count; i++)
        if (is_alike(profile->kernels[i].call, call))
            add_kernel(seen, &asked, true, &profile->kernels[i]);
    const bool alike = seen[0].count > 0;
    for (int i = 0; i < profile->kernel_count && !alike; i++)
        if (profile->kernels[i].work.class == work->class)
            add_kernel(seen, &asked, false, &profile->kernels[i]);
    *forward_s = seconds_of(&seen[0], asked.parts[0], roofline.forward);
    *backward_s = seconds_of(&seen[1], asked.parts[1], roofline.backward);
    free(seen[0].rows);
    free(seen[1].rows);
    const bool far = is_far(&seen[0], asked.parts[0]) || is_far(&seen[1], asked.parts[1]);
    return far ? DTS_TOLD_BY_ROOFLINE : alike ? DTS_TOLD_BY_LIKE : DTS_TOLD_BY_CLASS;
}

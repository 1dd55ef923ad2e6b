/* profile.c -- reads measured seconds, and finds them again. */
#include "device/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "device/device.h"

enum { MOST_KERNELS = 20000, MOST_POINTS = 64, MOST_UPDATES = 64 * 64 };

static const struct dts_field point_fields[] = {
    {DTS_KEY(struct dts_profile_point, batch), .type = DTS_INT, .min = 1, .max = 1 << 24,
     .help = "samples of the call"},
    {DTS_KEY(struct dts_profile_point, forward_s), .type = DTS_REAL, .min = 1e-9, .max = 1e6,
     .help = "median of the forward call, seconds"},
    {DTS_KEY(struct dts_profile_point, forward_mad_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "median distance from it"},
    {DTS_KEY(struct dts_profile_point, forward_least_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "the shortest run"},
    {DTS_KEY(struct dts_profile_point, backward_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "the same of the backward call; 0: there is none"},
    {DTS_KEY(struct dts_profile_point, backward_mad_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "median distance from it"},
    {DTS_KEY(struct dts_profile_point, backward_least_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "the shortest run"},
    {DTS_KEY(struct dts_profile_point, memory_bytes), .type = DTS_REAL, .max = 1e18,
     .missing = "0", .help = "memory that its arrays took; predictions do not need it"},
    {0},
};

/* What one table of fields fills. */
struct kernel_reading {
    struct dts_profile_kernel kernel;
    const char *class;
    struct dts_cfg points;
};

#define WORK(member)                                                                           \
    .key = #member, .offset = offsetof(struct kernel_reading, kernel.work.member),             \
    .type = DTS_REAL, .max = 1e18, .missing = "0"

static const struct dts_field kernel_fields[] = {
    {.key = "call",
     .offset = offsetof(struct kernel_reading, kernel.call),
     .type = DTS_STRING,
     .help = "operation, shapes of one sample, settings"},
    {DTS_KEY(struct kernel_reading, class), .type = DTS_STRING, .choice = dts_work_class_name,
     .help = "class of operation"},
    {WORK(forward_flops), .help = "operations of a sample, forward"},
    {WORK(backward_flops), .help = "the same, backward"},
    {WORK(forward_values), .help = "values moved by a sample, forward"},
    {WORK(backward_values), .help = "the same, backward"},
    {WORK(weight_values), .help = "weights that a call reads"},
    {DTS_KEY(struct kernel_reading, points), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .help = "list of measurements, batches ascending"},
    {0},
};

static const struct dts_field update_fields[] = {
    {DTS_KEY(struct dts_profile_update, optimizer), .type = DTS_STRING,
     .help = "name of the optimizer"},
    {DTS_KEY(struct dts_profile_update, parameters), .type = DTS_REAL, .min = 1, .max = 1e15,
     .help = "how many were updated"},
    {DTS_KEY(struct dts_profile_update, update_s), .type = DTS_REAL, .min = 1e-9, .max = 1e6,
     .help = "median of one update of all, seconds"},
    {DTS_KEY(struct dts_profile_update, update_mad_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "median distance from it"},
    {DTS_KEY(struct dts_profile_update, update_least_s), .type = DTS_REAL, .max = 1e6,
     .missing = "0", .help = "the shortest run"},
    {0},
};

struct reading {
    struct dts_profile profile;
    const char *precision;
    struct dts_cfg kernels, updates;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct reading, precision), .type = DTS_STRING, .choice = dts_precision_name,
     .help = "what was computed in"},
    {.key = "threads",
     .offset = offsetof(struct reading, profile.threads),
     .type = DTS_INT,
     .max = 1 << 20,
     .missing = "0",
     .help = "of the processor that worked; 0: it was none"},
    {.key = "disturbed_percent",
     .offset = offsetof(struct reading, profile.disturbed_percent),
     .type = DTS_REAL,
     .max = 100,
     .missing = "0",
     .help = "runs off the processor's usual pace: they do not count, up to 50"},
    {.key = "pace_s",
     .offset = offsetof(struct reading, profile.pace_s),
     .type = DTS_REAL,
     .max = 1e6,
     .missing = "0",
     .help = "its usual pace: the time of a fixed piece of work; 0: it has none"},
    {.key = "device",
     .offset = offsetof(struct reading, profile.device),
     .type = DTS_STRING,
     .missing = "\"\"",
     .help = "where the calls ran, as the machine calls it"},
    {.key = "clock_hz",
     .offset = offsetof(struct reading, profile.clock_hz),
     .type = DTS_REAL,
     .max = 1e15,
     .missing = "0",
     .help = "the highest clock that the device tells; a CPU that tells none: the "
             "moment's; 0: neither"},
    {.key = "memory_clock_hz",
     .offset = offsetof(struct reading, profile.memory_clock_hz),
     .type = DTS_REAL,
     .max = 1e15,
     .missing = "0",
     .help = "the same of its memory"},
    {.key = "models",
     .offset = offsetof(struct reading, profile.models),
     .type = DTS_STRING,
     .missing = "\"\"",
     .help = "the networks that the calls are from"},
    {.key = "dtsim",
     .offset = offsetof(struct reading, profile.dtsim),
     .type = DTS_STRING,
     .missing = "\"\"",
     .help = "the version whose kernels they are"},
    {.key = "library",
     .offset = offsetof(struct reading, profile.library),
     .type = DTS_STRING,
     .missing = "\"\"",
     .help = "libraries with their versions"},
    {DTS_KEY(struct reading, kernels), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .help = "list of calls"},
    {DTS_KEY(struct reading, updates), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .missing = "[]", .help = "list of optimizer updates"},
    {0},
};

static bool read_points(struct dts_profile_kernel *kernel, const struct dts_cfg *list,
                        struct dts_error *err)
{
    const size_t count = dts_cfg_length(list);
    if (count < 1 || count > MOST_POINTS)
        return dts_cfg_fail(list, NULL, err, "must be a list of 1 to %d measurements",
                            MOST_POINTS);
    kernel->points = dts_alloc(count, sizeof(*kernel->points));
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(list, i);
        struct dts_profile_point *point = &kernel->points[i];
        if (!dts_cfg_read(&at, point_fields, point, err))
            return false;
        if (i > 0 && point->batch <= point[-1].batch)
            return dts_cfg_fail(&at, "batch", err, "must be > %d, got %d", point[-1].batch,
                                point->batch);
    }
    kernel->point_count = (int)count;
    return true;
}

static bool read_kernel(struct dts_profile_kernel *kernel, const struct dts_cfg *at,
                        struct dts_error *err)
{
    struct kernel_reading reading = {.class = NULL};
    if (!dts_cfg_read(at, kernel_fields, &reading, err))
        return false;
    while (strcmp(dts_work_class_name(reading.kernel.work.class), reading.class) != 0)
        reading.kernel.work.class ++;
    *kernel = reading.kernel;
    return read_points(kernel, &reading.points, err);
}

static int by_call(const void *a, const void *b)
{
    const struct dts_profile_kernel *const *one = a, *const *other = b;
    const int order = strcmp((*one)->call, (*other)->call);
    return order != 0 ? order : (*one > *other) - (*one < *other);
}

/* Of two times for one call nobody could tell which is meant. */
static bool check_once(const struct dts_profile *profile, const struct dts_cfg *list,
                       struct dts_error *err)
{
    const size_t count = (size_t)profile->kernel_count;
    const struct dts_profile_kernel **sorted = dts_alloc(count, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &profile->kernels[i];
    qsort(sorted, count, sizeof(*sorted), by_call);
    const struct dts_profile_kernel *twice = NULL;
    for (size_t i = 1; i < count && twice == NULL; i++)
        if (strcmp(sorted[i - 1]->call, sorted[i]->call) == 0)
            twice = sorted[i];
    free(sorted);
    if (twice == NULL)
        return true;
    const struct dts_cfg at = dts_cfg_item(list, (size_t)(twice - profile->kernels));
    return dts_cfg_fail(&at, "call", err, "is there already: \"%s\"", twice->call);
}

static bool read_kernels(struct dts_profile *profile, const struct dts_cfg *list,
                         struct dts_error *err)
{
    const size_t count = dts_cfg_length(list);
    if (count < 1 || count > MOST_KERNELS)
        return dts_cfg_fail(list, NULL, err, "must be a list of 1 to %d calls", MOST_KERNELS);
    profile->kernels = dts_alloc(count, sizeof(*profile->kernels));
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(list, i);
        profile->kernel_count++; // from now on dts_profile_free() releases what it owns
        if (!read_kernel(&profile->kernels[i], &at, err))
            return false;
    }
    return check_once(profile, list, err);
}

static bool read_updates(struct dts_profile *profile, const struct dts_cfg *list,
                         struct dts_error *err)
{
    const size_t count = dts_cfg_length(list);
    if (count > MOST_UPDATES)
        return dts_cfg_fail(list, NULL, err, "must be a list of at most %d updates",
                            MOST_UPDATES);
    profile->updates = dts_alloc(count + 1, sizeof(*profile->updates));
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(list, i);
        if (!dts_cfg_read(&at, update_fields, &profile->updates[i], err))
            return false;
        profile->update_count++;
    }
    return true;
}

bool dts_profile_read(struct dts_profile *profile, const struct dts_cfg *at,
                      struct dts_error *err)
{
    struct reading reading = {.precision = NULL};
    bool good = dts_cfg_read(at, fields, &reading, err);
    *profile = reading.profile;
    if (good) {
        profile->precision = dts_precision_find(reading.precision);
        good = read_kernels(profile, &reading.kernels, err) &&
               read_updates(profile, &reading.updates, err);
    }
    if (!good)
        dts_profile_free(profile);
    return good;
}

void dts_profile_free(struct dts_profile *profile)
{
    for (int i = 0; i < profile->kernel_count; i++)
        free(profile->kernels[i].points);
    free(profile->kernels);
    free(profile->updates);
    *profile = (struct dts_profile){.kernels = NULL};
}

void dts_profile_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "profile, measured seconds, as `dtsim profile` writes them:");
    dts_keys_add(keys, "profile", fields);
    dts_keys_heading(keys, "profile.kernels[]:");
    dts_keys_add(keys, "profile.kernels[]", kernel_fields);
    dts_keys_heading(keys, "profile.kernels[].points[]:");
    dts_keys_add(keys, "profile.kernels[].points[]", point_fields);
    dts_keys_heading(keys, "profile.updates[]:");
    dts_keys_add(keys, "profile.updates[]", update_fields);
}

const struct dts_profile_kernel *dts_profile_find(const struct dts_profile *profile,
                                                  const char *call, double batch,
                                                  double *forward_s, double *backward_s,
                                                  double *nearest)
{
    const struct dts_profile_kernel *kernel = NULL;
    for (int i = 0; i < profile->kernel_count && kernel == NULL; i++)
        if (strcmp(profile->kernels[i].call, call) == 0)
            kernel = &profile->kernels[i];
    if (kernel == NULL)
        return NULL;
    const struct dts_profile_point *first = kernel->points,
                                   *last = &kernel->points[kernel->point_count - 1];
    *nearest = fmin(fmax(batch, first->batch), last->batch);
    if (batch < first->batch || batch > last->batch || kernel->point_count == 1) {
        const struct dts_profile_point *point = batch < first->batch ? first : last;
        *forward_s = point->forward_s;
        *backward_s = point->backward_s;
        return kernel;
    }
    const struct dts_profile_point *above = first + 1;
    while (above->batch < batch)
        above++;
    const int a = above[-1].batch, b = above->batch;
    *forward_s = dts_on_line(batch, a, b, above[-1].forward_s, above->forward_s);
    *backward_s = dts_on_line(batch, a, b, above[-1].backward_s, above->backward_s);
    return kernel;
}

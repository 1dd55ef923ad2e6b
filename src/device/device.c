/* device.c -- device files, and the roofline over what they say. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/assumed.h"
#include "device/device.h"

static const char *const classes[DTS_WORK_CLASSES] = {
    [DTS_WORK_CONV] = "conv",
    [DTS_WORK_MATMUL] = "matmul",
    [DTS_WORK_MEMORY] = "memory",
};

const char *dts_work_class_name(int i)
{
    return i >= 0 && i < DTS_WORK_CLASSES ? classes[i] : NULL;
}

static const char *kind_name(int i)
{
    static const char *const kinds[] = {
        "gpu",
        "cpu",
        "tpu",
        NULL,
    };
    return kinds[i];
}

/* As their makers name them; NCCL's constants go by them. */
static const char *generation_name(int i)
{
    static const char *const names[] = {
        "kepler", "maxwell", "pascal", "volta",     "turing",
        "ampere", "ada",     "hopper", "blackwell", NULL,
    };
    return names[i];
}

static const struct dts_field peak_fields[] = {
    {.key = "fp32",
     .offset = DTS_FP32 * sizeof(double),
     .type = DTS_REAL,
     .max = 1e18,
     .missing = "0",
     .help = "flop/s in 32 bits; 0: cannot, or not published"},
    {.key = "tf32",
     .offset = DTS_TF32 * sizeof(double),
     .type = DTS_REAL,
     .max = 1e18,
     .missing = "0",
     .help = "flop/s with products of 19 bits"},
    {.key = "fp16",
     .offset = DTS_FP16 * sizeof(double),
     .type = DTS_REAL,
     .max = 1e18,
     .missing = "0",
     .help = "flop/s in half precision, on tensor cores where there are any"},
    {.key = "bf16",
     .offset = DTS_BF16 * sizeof(double),
     .type = DTS_REAL,
     .max = 1e18,
     .missing = "0",
     .help = "flop/s in bfloat16"},
    {.key = "fp64",
     .offset = DTS_FP64 * sizeof(double),
     .type = DTS_REAL,
     .max = 1e18,
     .missing = "0",
     .help = "flop/s in 64 bits"},
    {.key = "fp8",
     .offset = DTS_FP8 * sizeof(double),
     .type = DTS_REAL,
     .max = 1e18,
     .missing = "0",
     .help = "flop/s with products of 8 bits (E4M3, E5M2), without sparsity"},
    {0},
};

/* Offsets from the first of the two members of the device. */
static const struct dts_field memory_fields[] = {
    {.key = "bytes",
     .offset = 0,
     .type = DTS_REAL,
     .min = 1,
     .max = 1e15,
     .help = "what fits into the device's memory"},
    {.key = "bytes_per_s",
     .offset = offsetof(struct dts_device, memory_bytes_per_s) -
               offsetof(struct dts_device, memory_bytes),
     .type = DTS_REAL,
     .min = 1,
     .max = 1e15,
     .help = "peak rate of the device's memory"},
    {0},
};

static const struct dts_field efficiency_fields[] = {
    {.key = "conv",
     .offset = DTS_WORK_CONV * sizeof(double),
     .type = DTS_REAL,
     .min = 1e-3,
     .max = 1,
     .help = "share of the peak that convolutions reach"},
    {.key = "matmul",
     .offset = DTS_WORK_MATMUL * sizeof(double),
     .type = DTS_REAL,
     .min = 1e-3,
     .max = 1,
     .help = "share of the peak that matrix products reach"},
    {.key = "memory",
     .offset = DTS_WORK_MEMORY * sizeof(double),
     .type = DTS_REAL,
     .min = 1e-3,
     .max = 1,
     .help = "share of the memory's rate that is reached"},
    {0},
};

static const struct dts_field units_fields[] = {
    {.key = "count",
     .type = DTS_REAL,
     .max = 1e6,
     .missing = "0",
     .help = "multiprocessors of a GPU; 0: products of all shapes fill the device"},
    {0},
};

/* What one table of fields fills. */
struct reading {
    struct dts_device device;
    struct dts_cfg assumed, profile;
};

static const struct dts_field fields[] = {
    {.key = "summary",
     .offset = offsetof(struct reading, device.summary),
     .type = DTS_STRING,
     .help = "one line for `dtsim list`"},
    {.key = "family",
     .offset = offsetof(struct reading, device.family),
     .type = DTS_STRING,
     .missing = "null",
     .help = "devices of one chip: published times of one count for the others, by peak rates"},
    {.key = "generation",
     .offset = offsetof(struct reading, device.generation),
     .type = DTS_STRING,
     .missing = "null",
     .choice = generation_name,
     .help = "of a GPU of NVIDIA: what NCCL goes by; default: as ampere"},
    {.key = "kind",
     .offset = offsetof(struct reading, device.kind),
     .type = DTS_STRING,
     .choice = kind_name,
     .help = "gpu, cpu or tpu"},
    {.key = "peak_flops_per_s",
     .offset = offsetof(struct reading, device.peak_flops_per_s),
     .type = DTS_OBJECT,
     .fields = peak_fields,
     .help = "peak rates by precision; a multiply-add is two operations"},
    {.key = "memory",
     .offset = offsetof(struct reading, device.memory_bytes),
     .type = DTS_OBJECT,
     .fields = memory_fields,
     .help = "the memory that kernels work in"},
    {.key = "links",
     .offset = offsetof(struct reading, device.links),
     .type = DTS_OBJECT,
     .fields = dts_device_links_fields,
     .missing = "null",
     .help = "how it reaches other devices and its host: what a new platform begins with"},
    {.key = "efficiency",
     .offset = offsetof(struct reading, device.efficiency),
     .type = DTS_OBJECT,
     .fields = efficiency_fields,
     .help = "share of the peaks that kernels reach, by class of operation"},
    {.key = "units",
     .offset = offsetof(struct reading, device.units),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = units_fields,
     .help = "what computes tiles of products side by side"},
    {.key = "call_s",
     .offset = offsetof(struct reading, device.call_s),
     .type = DTS_REAL,
     .max = 1,
     .help = "fixed time of a kernel call, seconds"},
    {.key = "assumed",
     .offset = offsetof(struct reading, assumed),
     .type = DTS_OTHER,
     .forms = DTS_FORM_STRINGS,
     .missing = "[]",
     .help = "paths of the values that nobody published"},
    {.key = "profile",
     .offset = offsetof(struct reading, profile),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECT,
     .missing = "null",
     .help = "seconds of calls, measured"},
    {0},
};

/* Some precision must have a peak, and none a peak that makes a step last for ages. */
static bool check_peaks(const struct dts_device *device, const struct dts_cfg *top,
                        struct dts_error *err)
{
    const struct dts_cfg peaks = dts_cfg_member(top, "peak_flops_per_s");
    bool any = false;
    for (int i = 0; i < DTS_PRECISIONS; i++) {
        const double peak = device->peak_flops_per_s[i];
        if (peak > 0 && peak < 1)
            return dts_cfg_fail(&peaks, dts_precision_name(i), err, "must be 0 or >= 1, got %g",
                                peak);
        any = any || dts_device_supports(device, i);
    }
    return any || dts_cfg_fail(top, "peak_flops_per_s", err, "must have a precision above 0");
}

static bool read_device(struct reading *reading, struct dts_error *err)
{
    struct dts_device *device = &reading->device;
    const struct dts_cfg top = dts_doc_top(device->doc);
    if (!dts_cfg_read(&top, fields, reading, err) ||
        !dts_assumed_read(&reading->assumed, &top, device->assumed_paths, DTS_DEVICE_ASSUMED,
                          &device->assumed_path_count, err))
        return false;
    if (dts_cfg_exists(&reading->profile) &&
        !dts_profile_read(&device->profile, &reading->profile, err))
        return false;
    const struct dts_cfg links = dts_cfg_member(&top, "links");
    if (!check_peaks(device, &top, err) || !dts_device_links_check(&device->links, &links, err))
        return false;
    for (int i = 0; i < DTS_WORK_CLASSES; i++) {
        char path[64] = "efficiency.";
        strcat(path, classes[i]);
        device->assumed[i] =
            dts_assumed_has(device->assumed_paths, device->assumed_path_count, path);
    }
    return true;
}

bool dts_device_load(struct dts_device *device, const char *path, struct dts_error *err)
{
    struct reading reading = {.device = {.name = NULL}};
    *device = reading.device;
    if (!dts_doc_load(&reading.device.doc, path, err))
        return false;
    reading.device.own_name = dts_file_name(path);
    reading.device.name = reading.device.own_name;
    const bool good = read_device(&reading, err);
    *device = reading.device;
    if (!good)
        dts_device_free(device);
    return good;
}

void dts_device_free(struct dts_device *device)
{
    dts_profile_free(&device->profile);
    dts_doc_free(device->doc);
    free(device->own_name);
    *device = (struct dts_device){.name = NULL};
}

bool dts_device_supports(const struct dts_device *device, enum dts_precision precision)
{
    return device->peak_flops_per_s[precision] > 0;
}

bool dts_device_check(const struct dts_device *device, enum dts_precision precision,
                      struct dts_error *err)
{
    if (dts_device_supports(device, precision) &&
        dts_device_supports(device, dts_precision_beside(precision)))
        return true;
    char has[64] = "";
    for (int i = 0; i < DTS_PRECISIONS; i++) {
        if (!dts_device_supports(device, i))
            continue;
        if (has[0] != '\0')
            strcat(has, ", ");
        strcat(has, dts_precision_name(i));
    }
    return dts_fail(err, DTS_BAD_INPUT, "%s cannot compute in %s; it has %s", device->name,
                    dts_precision_name(precision), has);
}

/* Sizes of tiles, and the speed of one against the largest. */
static const struct {
    double rows, columns, speed; // speed: ASSUMED
} tiles[] = {{256, 128, 1},  {128, 256, 1},   {128, 128, 0.95}, {256, 64, 0.9},
             {64, 256, 0.9}, {128, 64, 0.85}, {64, 128, 0.85},  {64, 64, 0.7}};

double dts_device_filled(const struct dts_device *device, double rows, double columns)
{
    double best = 0;
    if (device->units <= 0 || rows <= 0)
        return 1;
    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
        const double count = ceil(rows / tiles[i].rows) * ceil(columns / tiles[i].columns);
        const double waves = ceil(count / device->units);
        const double area = waves * device->units * tiles[i].rows * tiles[i].columns;
        best = fmax(best, tiles[i].speed * rows * columns / area);
    }
    return best;
}

double dts_device_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_work *work)
{
    assert(dts_device_supports(device, precision));
    if (work->flops <= 0 && work->bytes <= 0)
        return 0;
    const double filled = dts_device_filled(device, work->rows, work->columns);
    const double compute_s =
        work->flops * (1 - work->filling + work->filling / filled) /
        (device->peak_flops_per_s[precision] * device->efficiency[work->class]);
    const double memory_s =
        work->bytes / (device->memory_bytes_per_s * device->efficiency[DTS_WORK_MEMORY]);
    return device->call_s + (work->apart ? compute_s + memory_s : fmax(compute_s, memory_s));
}

void dts_device_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A device is a JSON object:");
    dts_keys_add(keys, "", fields);
    dts_profile_keys(keys);
}

/* device.h -- hardware that runs kernels: peak rates, memory, and a roofline over them.
 *
 * A device file holds hardware only; what software adds is the stack's (stack.h). Every rate
 * has its source in the file; efficiencies that nobody published are `assumed`.
 */
#ifndef DTS_KERNELS_DEVICE_H
#define DTS_KERNELS_DEVICE_H

#include "base/cfg.h"

/* What numbers are computed in, and what gradients are on the wire. */
enum dts_precision { DTS_FP32, DTS_TF32, DTS_FP16, DTS_BF16, DTS_FP64, DTS_PRECISIONS };

const char *dts_precision_name(int i);                    // "fp32", ...; NULL at the end
int dts_precision_find(const char *name);                 // -1: none such
size_t dts_precision_bytes(enum dts_precision precision); // of one stored value: tf32 is 4

/* Classes of operation that reach different shares of the peak. */
enum dts_work_class { DTS_WORK_CONV, DTS_WORK_MATMUL, DTS_WORK_MEMORY, DTS_WORK_CLASSES };

/* One kernel call. */
struct dts_work {
    enum dts_work_class class;
    double flops;
    double bytes; // memory traffic, at the least
};

struct dts_device {
    const char *name, *summary;
    const char *kind;                        // "gpu", "cpu"
    double peak_flops_per_s[DTS_PRECISIONS]; // 0: cannot, or not published
    double memory_bytes, memory_bytes_per_s;
    double efficiency[DTS_WORK_CLASSES]; // of the peak, or of the memory rate
    double call_s;                       // fixed cost of a kernel call
    bool assumed[DTS_WORK_CLASSES];      // that efficiency is not published
    struct dts_doc *doc;                 // owned
};

bool dts_device_load(struct dts_device *device, const char *path, struct dts_error *err);
void dts_device_free(struct dts_device *device);

/* Seconds of a call by the bare roofline: call_s + max(flops / (peak e), bytes / (memory e)).
 * The precision must have a peak (dts_device_supports). */
double dts_device_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_work *work);
bool dts_device_supports(const struct dts_device *device, enum dts_precision precision);

#endif

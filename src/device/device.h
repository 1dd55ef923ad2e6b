/* device.h -- hardware that runs kernels: peak rates, memory, and a roofline over them.
 *
 * A device file holds hardware only; what software adds is the stack's (stack.h). Every rate
 * has its source in the file; efficiencies that nobody published are `assumed`. docs/devices.md
 * says how to write one.
 */
#ifndef DTS_DEVICE_DEVICE_H
#define DTS_DEVICE_DEVICE_H

#include "base/json/keys.h"
#include "device/links.h"
#include "device/profile.h"
#include "kernels/call/precision.h"

/* Classes of operation that reach different shares of the peak. */
enum dts_work_class { DTS_WORK_CONV, DTS_WORK_MATMUL, DTS_WORK_MEMORY, DTS_WORK_CLASSES };

/* One kernel call. */
struct dts_work {
    enum dts_work_class class;
    double flops;
    double bytes; // memory traffic, at the least

    /* Of a product: its rows and columns, by which its operations fill the units of the device;
     * `filling` is the share of the operations that do so, the others fill them wholly. 0: all.
     */
    double rows, columns, filling;

    bool apart; // kernels that compute, and others that move: their times add up
};

enum { DTS_DEVICE_ASSUMED = 8 };

struct dts_device {
    const char *name, *summary; // name: of the file, without folder and ".json"
    const char *family;     // devices whose published times stand for one another; NULL: none
    const char *generation; // of a GPU of NVIDIA, "volta"; NULL: it does not say
    const char *kind;       // "gpu", "cpu", "tpu"
    double peak_flops_per_s[DTS_PRECISIONS]; // 0: cannot, or not published
    double memory_bytes, memory_bytes_per_s;
    struct dts_device_links links;       // what a platform with this device is begun with
    double efficiency[DTS_WORK_CLASSES]; // of the peak, or of the memory rate
    double call_s;                       // fixed cost of a kernel call
    double units; // that compute a tile of a product each (SM, CU); 0: products of all shapes
                  // fill it
    bool assumed[DTS_WORK_CLASSES];                // that efficiency is not published
    const char *assumed_paths[DTS_DEVICE_ASSUMED]; // all that is: "efficiency.conv", "call_s"
    int assumed_path_count;
    struct dts_profile profile; // measured calls; without: profile.kernels is NULL
    char *own_name;             // owned: what name points to
    struct dts_doc *doc;        // owned
};

const char *dts_work_class_name(int i); // "conv", "matmul", "memory"; NULL at the end

bool dts_device_load(struct dts_device *device, const char *path, struct dts_error *err);
void dts_device_free(struct dts_device *device);

/* Print what `dtsim help device` says. */
void dts_device_keys(struct dts_keys *keys);

/* The share of its peak that a device can reach in a product of so many rows and columns: tiles
 * of the product are given to the units in waves, of which the last is not full, and tiles at
 * the edges are not full either. Of several sizes of tile the library takes the best; small
 * tiles are slower each (NVIDIA, "Matrix Multiplication Background User's Guide": tile and wave
 * quantization). 1 where the device has no units. */
double dts_device_filled(const struct dts_device *device, double rows, double columns);

/* Seconds of a call by the bare roofline: call_s + max(flops / (peak e), bytes / (memory m)),
 * e the efficiency of the work's class and m that of DTS_WORK_MEMORY. Work without flops and
 * bytes is no call and takes no time. The precision must have a peak (dts_device_supports). */
double dts_device_seconds(const struct dts_device *device, enum dts_precision precision,
                          const struct dts_work *work);
bool dts_device_supports(const struct dts_device *device, enum dts_precision precision);

/* Fails with the precisions that the device has: "precision: p100 cannot compute in tf32; it
 * has fp32, fp16, fp64". True when it can. */
bool dts_device_check(const struct dts_device *device, enum dts_precision precision,
                      struct dts_error *err);

#endif

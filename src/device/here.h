/* here.h -- the device `here`: this machine's CPU, measured at first use and kept.
 *
 * What was measured is an ordinary device file in the user's cache folder, one for each
 * processor and number of threads. The matrix products are OpenBLAS's; that library starts
 * threads when it is loaded, so a program of its own (dtsim-measure) does the measuring.
 */
#ifndef DTS_DEVICE_HERE_H
#define DTS_DEVICE_HERE_H

#include <stddef.h>
#include <stdio.h>

#include "device/device.h"

#define DTS_HERE "here" // the device's name

/* What was measured. */
struct dts_roofline {
    double flops_per_s[DTS_PRECISIONS];   // of large matrix products; 0: cannot
    double memory_bytes_per_s;            // of a sum of vectors larger than the caches
    double call_s;                        // of a product too small to take time
    double memory_bytes;                  // that the device has
    int threads;                          // of a CPU; 0: it is none
    const char *kind;                     // the device file's: "cpu", "gpu"
    const char *name, *library;           // "Intel(R) Xeon(R) ...", "OpenBLAS 0.3.21 ..."
    const char *products, *memory, *call; // how these were measured: a sentence each
};

/* Write the device file; or begin it, for who has more to say before dts_json_end(). */
struct dts_json;
void dts_here_begin(const struct dts_roofline *roofline, const char *how,
                    struct dts_json *json);
void dts_here_print(const struct dts_roofline *roofline, FILE *out);

/* Measures and leaves a device file at `path`. */
typedef bool (*dts_here_fn)(void *argument, const char *path, struct dts_error *err);

/* Runs dtsim-measure, which lies beside the running program. Without it: DTS_UNSUPPORTED. */
bool dts_here_measure(void *argument, const char *path, struct dts_error *err);

/* The folder for what was measured: $XDG_CACHE_HOME/dtsim or ~/.cache/dtsim; NULL where neither
 * variable is an absolute path. The caller frees it. */
char *dts_here_folder(void);

/* Load the device from its file in `folder`, which `measure` makes where it is absent or
 * broken. *kept is false where the folder cannot be written (or is NULL): the device is
 * measured all the same. */
bool dts_here_load(struct dts_device *device, const char *folder, dts_here_fn measure,
                   void *argument, bool *kept, struct dts_error *err);

#endif

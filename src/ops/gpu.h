/* gpu.h -- an NVIDIA GPU as a place where calls run: a stream, a cuBLAS handle, memory.
 *
 * In a build without CUDA there are no GPUs: dts_gpu_count() is 0 and nothing else is called.
 * A CUDA call that fails ends the program with its name and what CUDA says: memory of the right
 * size was asked for before, so what is left are the machine's faults.
 */
#ifndef DTS_OPS_GPU_H
#define DTS_OPS_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ops/op.h"

int dts_gpu_count(void);

/* Use GPU `number` from now on, in this thread. tf32: products may round their factors to 10
 * bits (compute capability 8.0 and later). */
bool dts_gpu_open(struct dts_place *place, int number, bool tf32, struct dts_error *err);
void dts_gpu_close(struct dts_place *place);

/* NULL: not that much memory left. */
void *dts_gpu_alloc(size_t bytes);
void dts_gpu_free(void *memory);

/* In the order of the stream; a copy out waits for all before it. */
void dts_gpu_copy_in(void *device, const void *host, size_t bytes,
                     const struct dts_place *place);
void dts_gpu_copy_out(void *host, const void *device, size_t bytes,
                      const struct dts_place *place);
void dts_gpu_wait(const struct dts_place *place);

#endif

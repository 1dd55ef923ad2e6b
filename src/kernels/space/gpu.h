/* gpu.h -- a GPU for programs in C: memory, copies, and the place where calls run.
 *
 *     struct dts_gpu *gpu;
 *     if (dts_gpu_count() == 0 || !dts_gpu_open(&gpu, 0, &err)) ...
 *     dts_gpu_alloc, dts_gpu_write the arrays
 *     op->cuda.forward(&call, &arrays, dts_gpu_place(gpu));
 *     dts_gpu_read what came out: waits for it
 *
 * Calls queue; what went wrong in one is found by the next wait or copy.
 */
#ifndef DTS_KERNELS_SPACE_GPU_H
#define DTS_KERNELS_SPACE_GPU_H

#include "base/error.h"
#include "kernels/op.h"

struct dts_gpu;

bool dts_gpu_built(void); // whether this is a build with CUDA
int dts_gpu_count(void);  // 0: none here, or a build without CUDA

/* Opens cuBLAS (kernels/space/blas.cuh), as the first dts_gpu_open() does; no GPU is needed.
 * False: it is not there, and why. */
bool dts_gpu_blas(struct dts_error *err);

bool dts_gpu_open(struct dts_gpu **gpu, int number, struct dts_error *err);
void dts_gpu_close(struct dts_gpu *gpu); // NULL: nothing
const struct dts_place *dts_gpu_place(const struct dts_gpu *gpu);

bool dts_gpu_alloc(void **memory, size_t bytes, struct dts_error *err);
void dts_gpu_free(void *memory);

/* In the order of the calls on the place. */
bool dts_gpu_write(struct dts_gpu *gpu, void *to, const void *from, size_t bytes,
                   struct dts_error *err);
bool dts_gpu_read(struct dts_gpu *gpu, void *to, const void *from, size_t bytes,
                  struct dts_error *err);
bool dts_gpu_wait(struct dts_gpu *gpu, struct dts_error *err);

#endif

/* top_k.h -- what the files of compress_top_k tell one another. */
#ifndef DTS_KERNELS_COMPRESS_TOP_K_H
#define DTS_KERNELS_COMPRESS_TOP_K_H

#include "kernels/compress/compress.h"

enum { DTS_TOP_K_BUCKETS = 1 << 16 }; // of either half of a magnitude

/* In a build with CUDA. */
size_t dts_top_k_scratch_cuda(size_t count, int workers);
void dts_top_k_compress_cuda(float *x, size_t count, double share, void *message, void *scratch,
                             const struct dts_place *place);
void dts_top_k_add_cuda(float *sum, size_t count, double share, const void *message,
                        const struct dts_place *place);

#endif

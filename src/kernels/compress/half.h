/* half.h -- what the compressions to 16 bits have in common, in the form that a row of
 * compress.h wants. */
#ifndef DTS_KERNELS_COMPRESS_HALF_H
#define DTS_KERNELS_COMPRESS_HALF_H

#include "kernels/compress/compress.h"
#include "kernels/reduce/reduce.h"

#define DTS_FP16_MOST 65504.0f // the largest number

/* Values of fp16 are held within its largest: what is beyond waits for the next message. */
void dts_compress_half_reference(enum dts_half half, float *x, size_t count, void *message);
void dts_compress_half(enum dts_half half, float *x, size_t count, void *message,
                       struct dts_workers *workers);

void dts_add_half_reference(enum dts_half half, float *sum, size_t count, const void *message);

/* Of the rows, in a build with CUDA. */
void dts_compress_bf16_cuda(float *x, size_t count, double share, void *message, void *scratch,
                            const struct dts_place *place);
void dts_compress_fp16_cuda(float *x, size_t count, double share, void *message, void *scratch,
                            const struct dts_place *place);

#endif

/* compress_fp16.c -- each value in 16 bits, rounded to the nearest fp16; the largest of them
 * where a value is larger, whose rest then waits for the next message. */
#include "ops/compress.h"
#include "ops/compress_half.h"

static void compress(float *x, size_t count, double share, void *message, void *scratch,
                     struct dts_workers *workers)
{
    (void)share, (void)scratch;
    dts_compress_half(DTS_HALF_FP16, x, count, message, workers);
}

static void add(float *sum, size_t count, double share, const void *message,
                struct dts_workers *workers)
{
    (void)share;
    dts_reduce_add_widened(DTS_HALF_FP16, sum, message, count, workers);
}

const struct dts_compression dts_compress_fp16 = {
    .name = "fp16",
    .summary = "all values in 16 bits, as fp16",
    .bytes = dts_compress_half_bytes,
    .compress = compress,
    .add = add,
    .cuda = {DTS_CUDA_FUNCTION(dts_compress_fp16_cuda), DTS_CUDA_FUNCTION(dts_add_fp16_cuda)},
};

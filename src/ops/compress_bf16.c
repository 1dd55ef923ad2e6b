/* compress_bf16.c -- each value in 16 bits, rounded to the nearest bf16. */
#include "ops/compress.h"
#include "ops/compress_half.h"

static void compress(float *x, size_t count, double share, void *message, void *scratch,
                     struct dts_workers *workers)
{
    (void)share, (void)scratch;
    dts_compress_half(DTS_HALF_BF16, x, count, message, workers);
}

static void add(float *sum, size_t count, double share, const void *message,
                struct dts_workers *workers)
{
    (void)share;
    dts_reduce_add_widened(DTS_HALF_BF16, sum, message, count, workers);
}

const struct dts_compression dts_compress_bf16 = {
    .name = "bf16",
    .summary = "all values in 16 bits, as bf16",
    .bytes = dts_compress_half_bytes,
    .compress = compress,
    .add = add,
    .cuda = {DTS_CUDA_FUNCTION(dts_compress_bf16_cuda), DTS_CUDA_FUNCTION(dts_add_bf16_cuda)},
};

/* bf16.c -- each value in 16 bits, rounded to the nearest bf16. */
#include "kernels/compress/half.h"

static void reference(float *x, size_t count, double share, void *message, void *scratch,
                      const struct dts_place *place)
{
    (void)share, (void)scratch, (void)place;
    dts_compress_half_reference(DTS_HALF_BF16, x, count, message);
}

static void add_reference(float *sum, size_t count, double share, const void *message,
                          const struct dts_place *place)
{
    (void)share, (void)place;
    dts_add_half_reference(DTS_HALF_BF16, sum, count, message);
}

static void compress(float *x, size_t count, double share, void *message, void *scratch,
                     const struct dts_place *place)
{
    (void)share, (void)scratch;
    dts_compress_half(DTS_HALF_BF16, x, count, message, place->workers);
}

/* On a GPU, too. */
static void add(float *sum, size_t count, double share, const void *message,
                const struct dts_place *place)
{
    (void)share;
    dts_reduce_add_widened(DTS_HALF_BF16, sum, message, count, place);
}

const struct dts_compression dts_compress_bf16 = {
    .name = "bf16",
    .summary = "all values in 16 bits, as bf16",
    .cost = &dts_compress_bf16_cost,
    .reference = {reference, add_reference},
    .host = {compress, add},
    .cuda = DTS_CUDA({dts_compress_bf16_cuda, add}),
};

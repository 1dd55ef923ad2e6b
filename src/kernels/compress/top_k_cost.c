/* top_k_cost.c -- the largest values, as numbers and values. */
#include <math.h>
#include <stdint.h>

#include "kernels/compress/compress_cost.h"

size_t dts_top_k_selected(size_t count, double share)
{
    const double k = round(share * (double)count);
    return count == 0 ? 0 : k < 1 ? 1 : k >= (double)count ? count : (size_t)k;
}

static size_t bytes(size_t count, double share)
{
    return dts_top_k_selected(count, share) * (sizeof(uint32_t) + sizeof(float));
}

static struct dts_compress_cost cost(size_t count, double share)
{
    const double k = (double)dts_top_k_selected(count, share);
    return (struct dts_compress_cost){
        .flops = 2 * (double)count,          // is it above the k-th, is it equal?
        .bytes = 4 * (double)count + 12 * k, // reads all, writes k zeros, numbers and values
        .add_flops = k,
        .add_bytes = 16 * k, // reads numbers, values and sums, writes sums
    };
}

const struct dts_compression_cost dts_compress_top_k_cost = {
    .name = "top_k", .selects = true, .bytes = bytes, .cost = cost};

/* half_cost.c -- gradients in 16 bits. */
#include <stdint.h>

#include "kernels/compress/compress_cost.h"

static size_t bytes(size_t count, double share)
{
    (void)share;
    return count * sizeof(uint16_t);
}

/* `operations` of a value: casts there and back, a difference, comparisons. */
static struct dts_compress_cost cost(size_t count, double operations)
{
    return (struct dts_compress_cost){
        .flops = operations * (double)count,
        .bytes = 10 * (double)count,    // reads and writes a float, writes 16 bits
        .add_flops = 2 * (double)count, // a cast, a sum
        .add_bytes = 10 * (double)count,
    };
}

static struct dts_compress_cost bf16(size_t count, double share)
{
    (void)share;
    return cost(count, 3);
}

static struct dts_compress_cost fp16(size_t count, double share)
{
    (void)share;
    return cost(count, 5); // it has a largest number, on either side
}

const struct dts_compression_cost dts_compress_bf16_cost = {
    .name = "bf16", .bytes = bytes, .cost = bf16};
const struct dts_compression_cost dts_compress_fp16_cost = {
    .name = "fp16", .bytes = bytes, .cost = fp16};

/* add_half.c -- sum += more in 16 bits, rounded once: a float holds the sum of two so
 * well that rounding it first changes nothing (Figueroa 1995, doi:10.1145/221332.221334). */
#include "kernels/half_reference.h"
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    uint16_t *sum = a->out;
    const uint16_t *more = a->x;
    for (size_t i = 0; i < a->count; i++)
        sum[i] = dts_half_nearest(a->half, dts_half_value(a->half, sum[i]) +
                                               dts_half_value(a->half, more[i]));
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    uint16_t *restrict sum = a->out;
    const uint16_t *restrict more = a->x;
    if (a->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            sum[i] = dts_to_bf16(dts_from_bf16(sum[i]) + dts_from_bf16(more[i]));
    else
        for (size_t i = begin; i < end; i++)
            sum[i] = dts_to_fp16(dts_from_fp16(sum[i]) + dts_from_fp16(more[i]));
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_add_half_cuda; // reduce.cu

const struct dts_reduction dts_reduction_add_half = {
    .name = "add_half",
    .summary = "what arrives, in 16 bits",
    .out = sizeof(uint16_t),
    .x = sizeof(uint16_t),
    .adds = true,
    .halves = true,
    .flops = 4, // two casts, a sum, a cast back
    .bytes = 6, // reads two, writes one
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_add_half_cuda),
};

void dts_reduce_add_half(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                         const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = sum, .x = more, .half = half};
    dts_reduce_run(&dts_reduction_add_half, &a, place);
}

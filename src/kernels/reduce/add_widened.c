/* add_widened.c -- sum += more, where what arrives has 16 bits and the sum is a float.
 */
#include "kernels/half_reference.h"
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    float *sum = a->out;
    const uint16_t *more = a->x;
    for (size_t i = 0; i < a->count; i++)
        sum[i] = (float)((double)sum[i] + dts_half_value(a->half, more[i]));
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    float *restrict sum = a->out;
    const uint16_t *restrict more = a->x;
    if (a->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            sum[i] += dts_from_bf16(more[i]);
    else
        for (size_t i = begin; i < end; i++)
            sum[i] += dts_from_fp16(more[i]);
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_add_widened_cuda; // reduce.cu

const struct dts_reduction dts_reduction_add_widened = {
    .name = "add_widened",
    .summary = "what arrives in 16 bits, in float",
    .out = sizeof(float),
    .x = sizeof(uint16_t),
    .adds = true,
    .halves = true,
    .flops = 2,  // a cast, a sum
    .bytes = 10, // reads both, writes the float
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_add_widened_cuda),
};

void dts_reduce_add_widened(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                            const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = sum, .x = more, .half = half};
    dts_reduce_run(&dts_reduction_add_widened, &a, place);
}

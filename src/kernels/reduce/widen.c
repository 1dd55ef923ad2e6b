/* widen.c -- a cast back from 16 bits. */
#include "kernels/half_reference.h"
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    float *out = a->out;
    const uint16_t *x = a->x;
    for (size_t i = 0; i < a->count; i++)
        out[i] = (float)dts_half_value(a->half, x[i]);
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    float *restrict out = a->out;
    const uint16_t *restrict x = a->x;
    if (a->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_bf16(x[i]);
    else
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_fp16(x[i]);
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_widen_cuda; // reduce.cu

const struct dts_reduction dts_reduction_widen = {
    .name = "widen",
    .summary = "from 16 bits to float",
    .out = sizeof(float),
    .x = sizeof(uint16_t),
    .halves = true,
    .flops = 1,
    .bytes = 6,
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_widen_cuda),
};

void dts_reduce_widen(enum dts_half half, float *out, const uint16_t *x, size_t count,
                      const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = out, .x = x, .half = half};
    dts_reduce_run(&dts_reduction_widen, &a, place);
}

/* narrow.c -- a cast to 16 bits. */
#include "kernels/half_reference.h"
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    uint16_t *out = a->out;
    const float *x = a->x;
    for (size_t i = 0; i < a->count; i++)
        out[i] = dts_half_nearest(a->half, (double)x[i]);
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    uint16_t *restrict out = a->out;
    const float *restrict x = a->x;
    if (a->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            out[i] = dts_to_bf16(x[i]);
    else
        for (size_t i = begin; i < end; i++)
            out[i] = dts_to_fp16(x[i]);
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_narrow_cuda; // reduce.cu

const struct dts_reduction dts_reduction_narrow = {
    .name = "narrow",
    .summary = "from float to 16 bits",
    .out = sizeof(uint16_t),
    .x = sizeof(float),
    .halves = true,
    .flops = 1,
    .bytes = 6,
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_narrow_cuda),
};

void dts_reduce_narrow(enum dts_half half, uint16_t *out, const float *x, size_t count,
                       const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = out, .x = x, .half = half};
    dts_reduce_run(&dts_reduction_narrow, &a, place);
}

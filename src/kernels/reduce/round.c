/* round.c -- floats become values that 16 bits have; out may be x. */
#include "kernels/half_reference.h"
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    float *out = a->out;
    const float *x = a->x;
    for (size_t i = 0; i < a->count; i++)
        out[i] = (float)dts_half_value(a->half, dts_half_nearest(a->half, (double)x[i]));
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    float *out = a->out;
    const float *x = a->x;
    if (a->half == DTS_HALF_BF16)
#pragma omp simd
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_bf16(dts_to_bf16(x[i]));
    else
#pragma omp simd
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_fp16(dts_to_fp16(x[i]));
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_round_cuda; // reduce.cu

const struct dts_reduction dts_reduction_round = {
    .name = "round",
    .summary = "to the values that 16 bits have",
    .out = sizeof(float),
    .x = sizeof(float),
    .halves = true,
    .flops = 2, // casts there and back
    .bytes = 8,
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_round_cuda),
};

void dts_reduce_round(enum dts_half half, float *out, const float *x, size_t count,
                      const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = out, .x = x, .half = half};
    dts_reduce_run(&dts_reduction_round, &a, place);
}

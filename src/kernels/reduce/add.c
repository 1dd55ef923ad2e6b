/* add.c -- sum += more, in float: what arrives of a gradient. */
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    float *sum = a->out;
    const float *more = a->x;
    for (size_t i = 0; i < a->count; i++)
        sum[i] = (float)((double)sum[i] + (double)more[i]);
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    float *restrict sum = a->out;
    const float *restrict more = a->x;
    for (size_t i = begin; i < end; i++)
        sum[i] += more[i];
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_add_cuda; // reduce.cu

const struct dts_reduction dts_reduction_add = {
    .name = "add",
    .summary = "what arrives, in float",
    .out = sizeof(float),
    .x = sizeof(float),
    .adds = true,
    .flops = 1,
    .bytes = 12, // reads two, writes one
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_add_cuda),
};

void dts_reduce_add(float *sum, const float *more, size_t count, const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = sum, .x = more};
    dts_reduce_run(&dts_reduction_add, &a, place);
}

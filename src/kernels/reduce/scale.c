/* scale.c -- x *= factor. */
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    float *x = a->out;
    for (size_t i = 0; i < a->count; i++)
        x[i] = (float)((double)x[i] * (double)a->factor);
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    float *restrict x = a->out;
    const float factor = a->factor;
    for (size_t i = begin; i < end; i++)
        x[i] *= factor;
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_scale_cuda; // reduce.cu

const struct dts_reduction dts_reduction_scale = {
    .name = "scale",
    .summary = "to a mean over ranks, back from a loss scale",
    .out = sizeof(float),
    .adds = true,
    .flops = 1,
    .bytes = 8, // reads and writes
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_scale_cuda),
};

void dts_reduce_scale(float *x, float factor, size_t count, const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = x, .factor = factor};
    dts_reduce_run(&dts_reduction_scale, &a, place);
}

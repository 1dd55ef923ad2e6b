/* add_doubles.c -- sum += more, in double: sums of statistics over ranks. */
#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    double *sum = a->out;
    const double *more = a->x;
    for (size_t i = 0; i < a->count; i++)
        sum[i] += more[i];
}

static void part(const struct dts_reduce_arrays *a, size_t begin, size_t end)
{
    double *restrict sum = a->out;
    const double *restrict more = a->x;
    for (size_t i = begin; i < end; i++)
        sum[i] += more[i];
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    dts_reduce_each(part, a, place->workers);
}

dts_reduce_fn dts_reduce_add_doubles_cuda; // reduce.cu

const struct dts_reduction dts_reduction_add_doubles = {
    .name = "add_doubles",
    .summary = "what arrives, in double",
    .out = sizeof(double),
    .x = sizeof(double),
    .adds = true,
    .flops = 1,
    .bytes = 24, // reads two, writes one
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_add_doubles_cuda),
};

void dts_reduce_add_doubles(double *sum, const double *more, size_t count,
                            const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = sum, .x = more};
    dts_reduce_run(&dts_reduction_add_doubles, &a, place);
}

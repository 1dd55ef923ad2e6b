/* finite.c -- whether no value is infinite or NaN. */
#include <math.h>

#include "kernels/reduce/reduce_host.h"

static void reference(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    (void)place;
    int *finite = a->out;
    *finite = 1;
    for (size_t i = 0; i < a->count; i++)
        if (!isfinite(((const float *)a->x)[i]))
            *finite = 0;
}

enum { MOST_WORKERS = 1024 };

/* Each worker for itself. */
struct search {
    const struct dts_reduce_arrays *arrays;
    bool each[MOST_WORKERS];
};

/* All exponents below the largest. */
static void find_infinite(void *argument, int worker, int workers)
{
    struct search *search = argument;
    size_t first;
    const size_t count = dts_share_of(search->arrays->count, worker, workers, &first);
    const float *x = (const float *)search->arrays->x + first;
    uint32_t most = 0;
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < count; i++) {
        const uint32_t size = dts_float_bits(x[i]) & 0x7fffffff;
        most = size > most ? size : most;
    }
    search->each[worker] = most < 0x7f800000;
}

static void host(const struct dts_reduce_arrays *a, const struct dts_place *place)
{
    struct search search = {.arrays = a};
    int *finite = a->out;
    const bool few = dts_workers_count(place->workers) <= MOST_WORKERS;
    struct dts_workers *workers = few ? place->workers : NULL;
    dts_workers_run(workers, find_infinite, &search);
    *finite = 1;
    for (int i = 0; i < dts_workers_count(workers); i++)
        *finite = *finite && search.each[i];
}

dts_reduce_fn dts_reduce_finite_cuda; // reduce.cu

const struct dts_reduction dts_reduction_finite = {
    .name = "finite",
    .summary = "whether no value is infinite or NaN",
    .x = sizeof(float),
    .one = true,
    .flops = 1,
    .bytes = 4,
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_reduce_finite_cuda),
};

void dts_reduce_finite(int *finite, const float *x, size_t count, const struct dts_place *place)
{
    const struct dts_reduce_arrays a = {.count = count, .out = finite, .x = x};
    dts_reduce_run(&dts_reduction_finite, &a, place);
}

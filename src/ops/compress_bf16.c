/* compress_bf16.c -- each value in 16 bits, rounded to the nearest bf16. */
#include "kernels/half.h"
#include "ops/compress.h"
#include "ops/reduce.h"

static size_t bytes(size_t count, double share)
{
    (void)share;
    return count * sizeof(uint16_t);
}

struct job {
    float *x;
    uint16_t *message;
    size_t count;
};

static void narrow(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    float *restrict x = job->x + first;
    uint16_t *restrict message = job->message + first;
    for (size_t i = 0; i < count; i++) {
        message[i] = dts_to_bf16(x[i]);
        x[i] -= dts_from_bf16(message[i]);
    }
}

static void compress(float *x, size_t count, double share, void *message, void *scratch,
                     struct dts_workers *workers)
{
    (void)share, (void)scratch;
    struct job job = {x, message, count};
    dts_workers_run(workers, narrow, &job);
}

static void add(float *sum, size_t count, double share, const void *message,
                struct dts_workers *workers)
{
    (void)share;
    dts_reduce_add_widened(DTS_HALF_BF16, sum, message, count, workers);
}

const struct dts_compression dts_compress_bf16 = {
    .name = "bf16",
    .summary = "all values in 16 bits, as bf16",
    .bytes = bytes,
    .compress = compress,
    .add = add,
};

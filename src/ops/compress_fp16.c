/* compress_fp16.c -- each value in 16 bits, rounded to the nearest fp16; the largest of them
 * where a value is larger, whose rest then waits for the next message. */
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
    const float most = 65504;
    for (size_t i = 0; i < count; i++) {
        const float below = x[i] > most ? most : x[i];
        message[i] = dts_to_fp16(below < -most ? -most : below);
        x[i] -= dts_from_fp16(message[i]);
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
    dts_reduce_add_widened(DTS_HALF_FP16, sum, message, count, workers);
}

const struct dts_compression dts_compress_fp16 = {
    .name = "fp16",
    .summary = "all values in 16 bits, as fp16",
    .bytes = bytes,
    .compress = compress,
    .add = add,
};

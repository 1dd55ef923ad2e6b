/* half.c -- each value in 16 bits, rounded to the nearest; the rest stays. */
#include "kernels/compress/half.h"

#include <math.h>

#include "kernels/half_reference.h"

void dts_compress_half_reference(enum dts_half half, float *x, size_t count, void *message)
{
    uint16_t *sent = message;
    const float most = half == DTS_HALF_FP16 ? DTS_FP16_MOST : INFINITY;
    for (size_t i = 0; i < count; i++) {
        const float below = x[i] > most ? most : x[i] < -most ? -most : x[i];
        sent[i] = dts_half_nearest(half, (double)below);
        x[i] = (float)((double)x[i] - dts_half_value(half, sent[i]));
    }
}

void dts_add_half_reference(enum dts_half half, float *sum, size_t count, const void *message)
{
    const uint16_t *sent = message;
    for (size_t i = 0; i < count; i++)
        sum[i] = (float)((double)sum[i] + dts_half_value(half, sent[i]));
}

struct job {
    enum dts_half half;
    float *x;
    uint16_t *message;
    size_t count;
};

static void narrow_bf16(float *restrict x, uint16_t *restrict message, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        message[i] = dts_to_bf16(x[i]);
        x[i] -= dts_from_bf16(message[i]);
    }
}

static void narrow_fp16(float *restrict x, uint16_t *restrict message, size_t count)
{
    const float most = DTS_FP16_MOST;
    for (size_t i = 0; i < count; i++) {
        const float below = x[i] > most ? most : x[i];
        message[i] = dts_to_fp16(below < -most ? -most : below);
        x[i] -= dts_from_fp16(message[i]);
    }
}

static void narrow(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    if (job->half == DTS_HALF_BF16)
        narrow_bf16(job->x + first, job->message + first, count);
    else
        narrow_fp16(job->x + first, job->message + first, count);
}

void dts_compress_half(enum dts_half half, float *x, size_t count, void *message,
                       struct dts_workers *workers)
{
    struct job job = {half, x, message, count};
    dts_workers_run(workers, narrow, &job);
}

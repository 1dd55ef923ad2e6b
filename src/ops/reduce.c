/* reduce.c -- sums, casts and loss scaling: loops that memory bounds. */
#include "ops/reduce.h"

#include "kernels/half.h"

struct job {
    float *out;
    const float *x;
    double *wide_out;
    const double *wide_x;
    uint16_t *half_out;
    const uint16_t *half_x;
    size_t count;
    float factor;
    enum dts_half half;
    void (*part)(const struct job *job, size_t begin, size_t end);
};

static void run(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    job->part(job, first, first + count);
}

static void add(const struct job *job, size_t begin, size_t end)
{
    float *restrict sum = job->out;
    const float *restrict more = job->x;
    for (size_t i = begin; i < end; i++)
        sum[i] += more[i];
}

void dts_reduce_add(float *sum, const float *more, size_t count, struct dts_workers *workers)
{
    struct job job = {.out = sum, .x = more, .count = count, .part = add};
    dts_workers_run(workers, run, &job);
}

static void add_doubles(const struct job *job, size_t begin, size_t end)
{
    double *restrict sum = job->wide_out;
    const double *restrict more = job->wide_x;
    for (size_t i = begin; i < end; i++)
        sum[i] += more[i];
}

void dts_reduce_add_doubles(double *sum, const double *more, size_t count,
                            struct dts_workers *workers)
{
    struct job job = {.wide_out = sum, .wide_x = more, .count = count, .part = add_doubles};
    dts_workers_run(workers, run, &job);
}

static void multiply(const struct job *job, size_t begin, size_t end)
{
    float *restrict x = job->out;
    const float factor = job->factor;
    for (size_t i = begin; i < end; i++)
        x[i] *= factor;
}

void dts_reduce_scale(float *x, float factor, size_t count, struct dts_workers *workers)
{
    struct job job = {.out = x, .factor = factor, .count = count, .part = multiply};
    dts_workers_run(workers, run, &job);
}

/* All exponents below the largest; each worker for itself. */
struct finite {
    const float *x;
    size_t count;
    bool *each; // of a worker
};

static void find_infinite(void *argument, int worker, int workers)
{
    const struct finite *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    const float *x = job->x + first;
    uint32_t most = 0;
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < count; i++) {
        const uint32_t size = dts_float_bits(x[i]) & 0x7fffffff;
        most = size > most ? size : most;
    }
    job->each[worker] = most < 0x7f800000;
}

bool dts_reduce_finite(const float *x, size_t count, struct dts_workers *workers)
{
    enum { MOST = 1024 };
    bool each[MOST], all = true;
    struct finite job = {.x = x, .count = count, .each = each};
    const int parts = dts_workers_count(workers);
    dts_workers_run(parts <= MOST ? workers : NULL, find_infinite, &job);
    for (int i = 0; i < (parts <= MOST ? parts : 1); i++)
        all = all && each[i];
    return all;
}

static void narrow(const struct job *job, size_t begin, size_t end)
{
    uint16_t *restrict out = job->half_out;
    const float *restrict x = job->x;
    if (job->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            out[i] = dts_to_bf16(x[i]);
    else
        for (size_t i = begin; i < end; i++)
            out[i] = dts_to_fp16(x[i]);
}

void dts_reduce_narrow(enum dts_half half, uint16_t *out, const float *x, size_t count,
                       struct dts_workers *workers)
{
    struct job job = {.half_out = out, .x = x, .count = count, .half = half, .part = narrow};
    dts_workers_run(workers, run, &job);
}

static void widen(const struct job *job, size_t begin, size_t end)
{
    float *restrict out = job->out;
    const uint16_t *restrict x = job->half_x;
    if (job->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_bf16(x[i]);
    else
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_fp16(x[i]);
}

void dts_reduce_widen(enum dts_half half, float *out, const uint16_t *x, size_t count,
                      struct dts_workers *workers)
{
    struct job job = {.out = out, .half_x = x, .count = count, .half = half, .part = widen};
    dts_workers_run(workers, run, &job);
}

static void round_all(const struct job *job, size_t begin, size_t end)
{
    float *out = job->out;
    const float *x = job->x;
    if (job->half == DTS_HALF_BF16)
#pragma omp simd
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_bf16(dts_to_bf16(x[i]));
    else
#pragma omp simd
        for (size_t i = begin; i < end; i++)
            out[i] = dts_from_fp16(dts_to_fp16(x[i]));
}

void dts_reduce_round(enum dts_half half, float *out, const float *x, size_t count,
                      struct dts_workers *workers)
{
    struct job job = {.out = out, .x = x, .count = count, .half = half, .part = round_all};
    dts_workers_run(workers, run, &job);
}

static void add_widened(const struct job *job, size_t begin, size_t end)
{
    float *restrict sum = job->out;
    const uint16_t *restrict more = job->half_x;
    if (job->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            sum[i] += dts_from_bf16(more[i]);
    else
        for (size_t i = begin; i < end; i++)
            sum[i] += dts_from_fp16(more[i]);
}

void dts_reduce_add_widened(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                            struct dts_workers *workers)
{
    struct job job = {
        .out = sum, .half_x = more, .count = count, .half = half, .part = add_widened};
    dts_workers_run(workers, run, &job);
}

static void add_half(const struct job *job, size_t begin, size_t end)
{
    uint16_t *restrict sum = job->half_out;
    const uint16_t *restrict more = job->half_x;
    if (job->half == DTS_HALF_BF16)
        for (size_t i = begin; i < end; i++)
            sum[i] = dts_to_bf16(dts_from_bf16(sum[i]) + dts_from_bf16(more[i]));
    else
        for (size_t i = begin; i < end; i++)
            sum[i] = dts_to_fp16(dts_from_fp16(sum[i]) + dts_from_fp16(more[i]));
}

void dts_reduce_add_half(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                         struct dts_workers *workers)
{
    struct job job = {
        .half_out = sum, .half_x = more, .count = count, .half = half, .part = add_half};
    dts_workers_run(workers, run, &job);
}

void dts_loss_scale_next(struct dts_loss_scale *scale, bool finite)
{
    if (!finite) {
        scale->scale = scale->scale > 2 ? scale->scale / 2 : 1;
        scale->good_steps = 0;
        scale->left_out++;
    } else if (++scale->good_steps == 2000) {
        scale->scale *= 2;
        scale->good_steps = 0;
    }
}

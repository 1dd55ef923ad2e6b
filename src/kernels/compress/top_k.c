/* top_k.c -- only the k largest values by magnitude, as numbers and values (Aji and
 * Heafield 2017, arXiv:1704.05021; Lin et al. 2018, arXiv:1712.01887). k is `share` of the
 * values, at least one; among equals the first are taken.
 *
 * The k-th magnitude is found exactly, without sorting: the bits of a magnitude, read as an
 * integer, are in its order, so a histogram of the upper 16 says which bucket the k-th is in,
 * and one of the lower 16 where in that bucket. A message has k numbers (uint32_t), ascending,
 * then k values.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/call/half.h"
#include "kernels/compress/top_k.h"

enum { BUCKETS = DTS_TOP_K_BUCKETS };

/* A NaN is larger than all numbers. */
static bool is_larger(float a, float b)
{
    return isnan(a) ? !isnan(b) : fabsf(a) > fabsf(b);
}

/* Whether fewer than k values come before this one: larger ones, and equal ones before it. */
static bool is_sent(const float *x, size_t count, size_t k, size_t i)
{
    size_t before = 0;
    for (size_t j = 0; j < count; j++)
        before += is_larger(x[j], x[i]) || (j < i && !is_larger(x[i], x[j]));
    return before < k;
}

static void reference(float *x, size_t count, double share, void *message, void *scratch,
                      const struct dts_place *place)
{
    (void)scratch, (void)place;
    const size_t k = dts_top_k_selected(count, share);
    uint32_t *numbers = message;
    float *values = (float *)(numbers + k);
    for (size_t i = 0, sent = 0; i < count; i++)
        if (is_sent(x, count, k, i)) {
            numbers[sent] = (uint32_t)i;
            values[sent++] = x[i];
        }
    for (size_t i = 0; i < k; i++)
        x[numbers[i]] = 0;
}

/* Of a worker: how many values it has above the k-th magnitude, and how many equal to it; for
 * taking, how many of those, and where its part of the message begins. */
struct part {
    size_t above, equal, take, begin;
};

struct job {
    float *x;
    size_t count, k;
    uint32_t upper, kth; // upper half of the k-th magnitude, and all of it
    bool lower;          // count lower halves
    uint32_t *histograms;
    struct part *parts;
    uint32_t *numbers;
    float *values;
};

static uint32_t magnitude(float x)
{
    return dts_float_bits(x) & 0x7fffffff;
}

static void fill_histogram(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    uint32_t *histogram = job->histograms + (size_t)worker * BUCKETS;
    size_t first;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    memset(histogram, 0, BUCKETS * sizeof(*histogram));
    for (size_t i = first; i < first + count; i++) {
        const uint32_t m = magnitude(job->x[i]);
        if (!job->lower)
            histogram[m >> 16]++;
        else if (m >> 16 == job->upper)
            histogram[m & 0xffff]++;
    }
}

/* The bucket of the value of this rank, from the largest (1); the rank within it. */
static uint32_t bucket_of(const struct job *job, int workers, size_t *rank)
{
    uint32_t bucket = BUCKETS;
    size_t in_bucket = 0;
    for (;;) {
        bucket--;
        in_bucket = 0;
        for (int w = 0; w < workers; w++)
            in_bucket += job->histograms[(size_t)w * BUCKETS + bucket];
        if (in_bucket >= *rank || bucket == 0)
            return bucket;
        *rank -= in_bucket;
    }
}

static void count_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    struct part *part = &job->parts[worker];
    size_t first, above = 0, equal = 0;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    for (size_t i = first; i < first + count; i++) {
        above += magnitude(job->x[i]) > job->kth;
        equal += magnitude(job->x[i]) == job->kth;
    }
    *part = (struct part){.above = above, .equal = equal};
}

/* `equal`: how many of those that equal the k-th are taken in all. */
static void place_parts(struct job *job, int workers, size_t equal)
{
    size_t begin = 0;
    for (int w = 0; w < workers; w++) {
        struct part *part = &job->parts[w];
        part->take = part->equal < equal ? part->equal : equal;
        part->begin = begin;
        equal -= part->take;
        begin += part->above + part->take;
    }
}

static void take_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first, at = job->parts[worker].begin, left = job->parts[worker].take;
    const size_t count = dts_share_of(job->count, worker, workers, &first);
    for (size_t i = first; i < first + count; i++) {
        const uint32_t m = magnitude(job->x[i]);
        if (m < job->kth || (m == job->kth && left == 0))
            continue;
        left -= m == job->kth;
        job->numbers[at] = (uint32_t)i;
        job->values[at++] = job->x[i];
        job->x[i] = 0;
    }
}

static size_t scratch_bytes(size_t count, int workers)
{
    (void)count;
    return (size_t)workers * (BUCKETS * sizeof(uint32_t) + sizeof(struct part));
}

static void compress(float *x, size_t count, double share, void *message, void *scratch,
                     const struct dts_place *place)
{
    struct dts_workers *workers = place->workers;
    const int parts = dts_workers_count(workers);
    struct job job = {.x = x, .count = count, .k = dts_top_k_selected(count, share)};
    job.histograms = scratch;
    job.parts = (struct part *)(job.histograms + (size_t)parts * BUCKETS);
    job.numbers = message;
    job.values = (float *)(job.numbers + job.k);
    if (count == 0)
        return;
    size_t rank = job.k;
    dts_workers_run(workers, fill_histogram, &job);
    job.upper = bucket_of(&job, parts, &rank);
    job.lower = true;
    dts_workers_run(workers, fill_histogram, &job);
    job.kth = job.upper << 16 | bucket_of(&job, parts, &rank);
    dts_workers_run(workers, count_part, &job);
    place_parts(&job, parts, rank);
    dts_workers_run(workers, take_part, &job);
}

/* Additions at k places that are far from one another. */
static void add(float *sum, size_t count, double share, const void *message,
                const struct dts_place *place)
{
    (void)place;
    const size_t k = dts_top_k_selected(count, share);
    const uint32_t *numbers = message;
    const float *values = (const float *)(numbers + k);
    for (size_t i = 0; i < k; i++)
        sum[numbers[i]] += values[i];
}

const struct dts_compression dts_compress_top_k = {
    .name = "top_k",
    .summary = "the largest values, with their places",
    .cost = &dts_compress_top_k_cost,
    .reference = {reference, add},
    .host = {compress, add, scratch_bytes},
    .cuda = DTS_CUDA({dts_top_k_compress_cuda, dts_top_k_add_cuda, dts_top_k_scratch_cuda}),
};

/* test_op_compress.c -- every compression of gradients. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "gpu_here.h"
#include "ops/compress.h"

enum { COUNT = 10007 };

static void fill(float *x, uint64_t stream)
{
    for (size_t i = 0; i < COUNT; i++)
        x[i] = (float)dts_normal(11, stream, i);
}

/* One message of a compression, by that many threads; x becomes what is left. */
static void *send(const struct dts_compression *c, float *x, size_t count, double share,
                  int threads)
{
    struct dts_workers *workers = dts_workers_new(threads);
    void *message = malloc(c->bytes(count, share) + 1);
    void *scratch =
        malloc((c->scratch_bytes != NULL ? c->scratch_bytes(count, threads) : 0) + 1);
    c->compress(x, count, share, message, scratch, workers);
    free(scratch);
    dts_workers_free(workers);
    return message;
}

/* What was sent and what is left are together what was to be sent, to the last bit. */
static void compressions_lose_nothing(void)
{
    const size_t counts[] = {1, 2, 100, COUNT};
    for (int i = 0; dts_compressions[i] != NULL; i++)
        for (int k = 0; k < 4; k++) {
            const struct dts_compression *c = dts_compressions[i];
            static float x[COUNT], left[COUNT], other[COUNT], said[COUNT];
            const size_t count = counts[k];
            fill(x, (uint64_t)k);
            x[0] = 100000; // beyond fp16
            memcpy(left, x, sizeof(x));
            memcpy(other, x, sizeof(x));
            memset(said, 0, sizeof(said));
            void *one = send(c, left, count, 0.01, 1), *three = send(c, other, count, 0.01, 3);
            CHECK(memcmp(one, three, c->bytes(count, 0.01)) == 0);
            CHECK(memcmp(left, other, sizeof(left)) == 0);
            c->add(said, count, 0.01, one, NULL);
            for (size_t j = 0; j < count; j++)
                CHECK(said[j] + left[j] == x[j]);
            CHECK(c->bytes(count, 0.01) <= 8 || c->bytes(count, 0.01) <= count * 2);
            free(one);
            free(three);
        }
}

static int descending(const void *a, const void *b)
{
    const float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);
    return (x < y) - (x > y);
}

static void top_k_sends_the_largest(void)
{
    static float x[COUNT], left[COUNT], sorted[COUNT];
    const double shares[] = {0.001, 0.1, 0.77, 1};
    for (int s = 0; s < 4; s++) {
        const size_t k = (size_t)round(shares[s] * COUNT);
        fill(x, 5);
        memcpy(sorted, x, sizeof(x));
        memcpy(left, x, sizeof(x));
        qsort(sorted, COUNT, sizeof(*sorted), descending);
        free(send(dts_compression_find("top_k"), left, COUNT, shares[s], 3));
        size_t sent = 0;
        for (size_t i = 0; i < COUNT; i++) {
            sent += left[i] == 0;
            CHECK(left[i] == 0 ? fabsf(x[i]) >= fabsf(sorted[k - 1])
                               : left[i] == x[i] && fabsf(x[i]) <= fabsf(sorted[k - 1]));
        }
        CHECK_INT(sent, k);
    }
}

static void top_k_takes_the_first_of_equals(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        float x[10] = {1, -1, 2, 1, 1, -1, 1, 1, 1, 1};
        const float left[10] = {0, 0, 0, 0, 1, -1, 1, 1, 1, 1};
        free(send(dts_compression_find("top_k"), x, 10, 0.4, threads));
        CHECK(memcmp(x, left, sizeof(x)) == 0);
    }
}

/* A message of the GPU's version and what it leaves, and a sum with it. */
static bool send_by_gpu(const struct dts_compression *c, struct dts_gpu *gpu, float *x,
                        float *sum, size_t count, double share, void *message)
{
    struct dts_error err = {0};
    const size_t bytes = count * sizeof(float), sent = c->bytes(count, share);
    const size_t scratch = c->cuda.scratch_bytes != NULL ? c->cuda.scratch_bytes(count) : 0;
    void *there[4] = {NULL};
    bool good = dts_gpu_alloc(&there[0], bytes, &err) &&
                dts_gpu_alloc(&there[1], bytes, &err) && dts_gpu_alloc(&there[2], sent, &err) &&
                dts_gpu_alloc(&there[3], scratch, &err) &&
                dts_gpu_write(gpu, there[0], x, bytes, &err) &&
                dts_gpu_write(gpu, there[1], sum, bytes, &err);
    void *stream = dts_gpu_place(gpu)->stream;
    if (good) {
        c->cuda.compress(there[0], count, share, there[2], there[3], stream);
        c->cuda.add(there[1], count, share, there[2], stream);
        good = dts_gpu_read(gpu, x, there[0], bytes, &err) &&
               dts_gpu_read(gpu, sum, there[1], bytes, &err) &&
               dts_gpu_read(gpu, message, there[2], sent, &err);
    }
    for (int i = 0; i < 4; i++)
        dts_gpu_free(there[i]);
    return good;
}

/* Where there is one: messages, rests and sums to the last bit. */
static void a_gpu_sends_what_the_host_sends(void)
{
    static float x[COUNT], left[COUNT], other[COUNT], sum[COUNT], total[COUNT];
    const size_t counts[] = {1, 2, 300, COUNT};
    struct dts_gpu *gpu = NULL;
    struct dts_error err = {0};
    if (op_gpu_missing() != NULL)
        SKIP(op_gpu_missing());
    if (!CHECK(dts_gpu_open(&gpu, 0, &err)))
        return;
    for (int i = 0; dts_compressions[i] != NULL; i++)
        for (int k = 0; k < 4; k++) {
            const struct dts_compression *c = dts_compressions[i];
            fill(x, (uint64_t)k);
            fill(sum, 7);
            for (size_t j = 0; j < counts[k]; j += 3)
                x[j] = j % 2 == 0 ? 1.5f : -1.5f; // many of the same size
            x[0] = 100000;                        // beyond fp16
            memcpy(left, x, sizeof(x));
            memcpy(other, x, sizeof(x));
            memcpy(total, sum, sizeof(sum));
            void *here = send(c, left, counts[k], 0.2, 1);
            void *there = malloc(c->bytes(counts[k], 0.2) + 1);
            c->add(sum, counts[k], 0.2, here, NULL);
            CHECK(send_by_gpu(c, gpu, other, total, counts[k], 0.2, there));
            CHECK(memcmp(here, there, c->bytes(counts[k], 0.2)) == 0);
            CHECK(memcmp(left, other, sizeof(left)) == 0);
            CHECK(memcmp(sum, total, sizeof(sum)) == 0);
            free(here);
            free(there);
        }
    dts_gpu_close(gpu);
}

TESTS(TEST(compressions_lose_nothing), TEST(top_k_sends_the_largest),
      TEST(top_k_takes_the_first_of_equals), TEST(a_gpu_sends_what_the_host_sends))

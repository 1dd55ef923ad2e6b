/* test_op_compress.c -- every compression of gradients: the host's and the GPU's version
 * against the reference, bit for bit, and what a message has to say. What references are held
 * to from elsewhere is test_op_gradient_oracle.c. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "gpu_here.h"
#include "kernels/compress/compress.h"
#include "odd_values.h"

enum { COUNT = 10007, GUARD_BYTE = 0xa5 };

static void fill(float *x, uint64_t stream)
{
    for (size_t i = 0; i < COUNT; i++)
        x[i] = (float)dts_normal(11, stream, i);
}

/* One message by that many threads; x becomes what is left. The caller frees. */
static void *send(const struct dts_compression *c, const struct dts_compress_version *version,
                  float *x, size_t count, double share, int threads)
{
    struct dts_workers *workers = dts_workers_new(threads);
    const struct dts_place place = {.workers = workers};
    const size_t bytes = c->cost->bytes(count, share);
    void *scratch = dts_alloc(
        (version->scratch_bytes != NULL ? version->scratch_bytes(count, threads) : 0) + 1, 1);
    unsigned char *message = dts_alloc(bytes + 1, 1);
    message[bytes] = GUARD_BYTE;
    version->compress(x, count, share, message, scratch, &place);
    CHECK_INT(message[bytes], GUARD_BYTE);
    free(scratch);
    dts_workers_free(workers);
    return message;
}

static void add(const struct dts_compress_version *version, float *sum, size_t count,
                double share, const void *message, int threads)
{
    struct dts_workers *workers = dts_workers_new(threads);
    const struct dts_place place = {.workers = workers};
    version->add(sum, count, share, message, &place);
    dts_workers_free(workers);
}

static bool same(const float *a, const float *b)
{
    for (size_t i = 0; i < COUNT; i++)
        if (!odd_same(a, b, sizeof(*a), i, DTS_HALF_BF16))
            return false;
    return true;
}

/* Many of the same size, and what is beyond fp16; wild: what is no number, too. */
static void fill_odd(float *x, size_t count, uint64_t stream, bool wild)
{
    static const float odd[] = {100000, -65504, 0x1p-25f, -0.0f, INFINITY, NAN, -INFINITY, NAN};
    fill(x, stream);
    for (size_t i = 0; i < count; i += 3)
        x[i] = i % 2 == 0 ? 1.5f : -1.5f;
    for (size_t i = 0; i < count; i += 7)
        x[i] = odd[i % (wild ? 8 : 4)];
}

static void check_host(const struct dts_compression *c, size_t count, double share, int threads,
                       bool wild)
{
    static float x[COUNT], left[COUNT], sum[COUNT], total[COUNT];
    const int before = check_failures;
    fill_odd(x, count, 2, wild);
    memcpy(left, x, sizeof(x));
    fill(sum, 3);
    memcpy(total, sum, sizeof(sum));
    void *want = send(c, &c->reference, left, count, share, 1);
    void *got = send(c, &c->host, x, count, share, threads);
    add(&c->reference, total, count, share, want, 1);
    add(&c->host, sum, count, share, got, threads);
    CHECK(wild || memcmp(got, want, c->cost->bytes(count, share)) == 0);
    CHECK(same(x, left));
    CHECK(same(sum, total));
    if (check_failures > before)
        printf("  in %s, %g of %zu, %d threads\n", c->name, share, count, threads);
    free(want);
    free(got);
}

static void hosts_follow_their_references(void)
{
    static const size_t counts[] = {0, 1, 2, 3, 100, 3001};
    static const double shares[] = {0.001, 0.4, 1};
    for (int i = 0; dts_compressions[i] != NULL; i++)
        for (int k = 0; k < 6; k++)
            for (int s = 0; s < 3; s++)
                for (int run = 0; run < 4; run++)
                    check_host(dts_compressions[i], counts[k], shares[s], run % 2 == 0 ? 1 : 3,
                               run >= 2);
}

static size_t changed(const float *a, const float *b)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++)
        count += a[i] != b[i];
    return count;
}

/* All values are read, those that change are written, and the message goes by. */
static void costs_are_of_what_changes(void)
{
    static float x[COUNT], left[COUNT], zeros[COUNT], sum[COUNT];
    for (int i = 0; dts_compressions[i] != NULL; i++) {
        const struct dts_compression *c = dts_compressions[i];
        const double share = 0.1, message = (double)c->cost->bytes(COUNT, share);
        const struct dts_compress_cost cost = c->cost->cost(COUNT, share);
        fill(x, 4);
        memcpy(left, x, sizeof(x));
        memset(sum, 0, sizeof(sum));
        void *sent = send(c, &c->host, left, COUNT, share, 1);
        add(&c->host, sum, COUNT, share, sent, 1);
        CHECK_NEAR(cost.bytes, 4.0 * COUNT + 4.0 * (double)changed(x, left) + message, 0);
        CHECK_NEAR(cost.add_bytes, 8.0 * (double)changed(sum, zeros) + message, 0);
        CHECK(cost.flops >= COUNT && cost.add_flops >= (double)changed(sum, zeros));
        free(sent);
    }
}

/* What was sent and what is left are together what was to be sent, to the last bit. */
static void compressions_lose_nothing(void)
{
    const size_t counts[] = {1, 2, 100, COUNT};
    for (int i = 0; dts_compressions[i] != NULL; i++)
        for (int k = 0; k < 4; k++) {
            const struct dts_compression *c = dts_compressions[i];
            static float x[COUNT], left[COUNT], said[COUNT];
            const size_t count = counts[k];
            fill(x, (uint64_t)k);
            x[0] = 100000; // beyond fp16
            memcpy(left, x, sizeof(x));
            memset(said, 0, sizeof(said));
            void *message = send(c, &c->host, left, count, 0.01, 3);
            add(&c->host, said, count, 0.01, message, 1);
            for (size_t j = 0; j < count; j++)
                CHECK(said[j] + left[j] == x[j]);
            CHECK(c->cost->bytes(count, 0.01) <= 8 || c->cost->bytes(count, 0.01) <= count * 2);
            free(message);
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
    const struct dts_compression *top_k = dts_compression_find("top_k");
    const double shares[] = {0.001, 0.1, 0.77, 1};
    for (int s = 0; s < 4; s++) {
        const size_t k = (size_t)round(shares[s] * COUNT);
        fill(x, 5);
        memcpy(sorted, x, sizeof(x));
        memcpy(left, x, sizeof(x));
        qsort(sorted, COUNT, sizeof(*sorted), descending);
        free(send(top_k, &top_k->host, left, COUNT, shares[s], 3));
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
    const struct dts_compression *top_k = dts_compression_find("top_k");
    for (int threads = 0; threads <= 3; threads++) { // 0: the reference
        float x[10] = {1, -1, 2, 1, 1, -1, 1, 1, 1, 1};
        const float left[10] = {0, 0, 0, 0, 1, -1, 1, 1, 1, 1};
        free(threads > 0 ? send(top_k, &top_k->host, x, 10, 0.4, threads)
                         : send(top_k, &top_k->reference, x, 10, 0.4, 1));
        CHECK(memcmp(x, left, sizeof(x)) == 0);
    }
}

/* A message of the GPU's version and what it leaves, and a sum with it. */
static bool send_by_gpu(const struct dts_compression *c, struct dts_gpu *gpu, float *x,
                        float *sum, size_t count, double share, void *message)
{
    struct dts_error err = {0};
    const size_t bytes = count * sizeof(float), sent = c->cost->bytes(count, share);
    const size_t scratch = c->cuda.scratch_bytes != NULL ? c->cuda.scratch_bytes(count, 1) : 0;
    void *there[4] = {NULL};
    bool good = dts_gpu_alloc(&there[0], bytes, &err) &&
                dts_gpu_alloc(&there[1], bytes, &err) && dts_gpu_alloc(&there[2], sent, &err) &&
                dts_gpu_alloc(&there[3], scratch, &err) &&
                dts_gpu_write(gpu, there[0], x, bytes, &err) &&
                dts_gpu_write(gpu, there[1], sum, bytes, &err);
    const struct dts_place *place = dts_gpu_place(gpu);
    if (good) {
        c->cuda.compress(there[0], count, share, there[2], there[3], place);
        c->cuda.add(there[1], count, share, there[2], place);
        good = dts_gpu_read(gpu, x, there[0], bytes, &err) &&
               dts_gpu_read(gpu, sum, there[1], bytes, &err) &&
               dts_gpu_read(gpu, message, there[2], sent, &err);
    }
    for (int i = 0; i < 4; i++)
        dts_gpu_free(there[i]);
    return good;
}

/* Messages, rests and sums to the last bit. */
static void check_gpu(const struct dts_compression *c, struct dts_gpu *gpu, size_t count)
{
    static float x[COUNT], left[COUNT], sum[COUNT], total[COUNT];
    const double share = 0.2;
    fill_odd(x, count, 5, false);
    fill(sum, 7);
    memcpy(left, x, sizeof(x));
    memcpy(total, sum, sizeof(sum));
    void *want = send(c, &c->reference, left, count, share, 1);
    void *got = dts_alloc(c->cost->bytes(count, share) + 1, 1);
    add(&c->reference, total, count, share, want, 1);
    CHECK(send_by_gpu(c, gpu, x, sum, count, share, got));
    CHECK(memcmp(got, want, c->cost->bytes(count, share)) == 0);
    CHECK(same(x, left));
    CHECK(same(sum, total));
    free(want);
    free(got);
}

static void gpus_follow_their_references(void)
{
    const size_t counts[] = {1, 2, 300, COUNT};
    struct dts_gpu *gpu = NULL;
    OP_GPU_OPEN(&gpu);
    for (int i = 0; dts_compressions[i] != NULL; i++)
        for (int k = 0; k < 4; k++)
            check_gpu(dts_compressions[i], gpu, counts[k]);
    dts_gpu_close(gpu);
}

TESTS(TEST(hosts_follow_their_references), TEST(gpus_follow_their_references),
      TEST(costs_are_of_what_changes), TEST(compressions_lose_nothing),
      TEST(top_k_sends_the_largest), TEST(top_k_takes_the_first_of_equals))

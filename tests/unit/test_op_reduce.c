/* test_op_reduce.c -- sums, casts, loss scaling, and every compression of gradients. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "kernels/half.h"
#include "ops/compress.h"
#include "ops/reduce.h"

enum { COUNT = 10007 };

/* The value of 16 bits by the definition: sign, exponent, mantissa. */
static double value_of(enum dts_half half, unsigned bits)
{
    const int mantissa = half == DTS_HALF_BF16 ? 7 : 10;
    const int bias = half == DTS_HALF_BF16 ? 127 : 15, most = 2 * bias + 1;
    const int exponent = (int)(bits & 0x7fff) >> mantissa;
    const int rest = (int)bits & ((1 << mantissa) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == most)
        return rest != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(rest, 1 - bias - mantissa);
    return sign * ldexp((1 << mantissa) + rest, exponent - bias - mantissa);
}

static void check_format(enum dts_half half)
{
    static uint16_t bits[0x10000], again[0x10000];
    static float values[0x10000];
    for (unsigned i = 0; i < 0x10000; i++)
        bits[i] = (uint16_t)i;
    dts_reduce_widen(half, values, bits, 0x10000, NULL);
    dts_reduce_narrow(half, again, values, 0x10000, NULL);
    for (unsigned i = 0; i < 0x10000; i++) {
        const double want = value_of(half, i);
        CHECK(isnan(want) ? isnan(values[i]) : (double)values[i] == want);
        CHECK(isnan(want) ? isnan(value_of(half, again[i])) : again[i] == i);
    }
}

/* Between two neighbours: the half way to the even one, the next floats to the nearer. */
static void check_rounding(enum dts_half half)
{
    const unsigned infinite = half == DTS_HALF_BF16 ? 0x7f80 : 0x7c00;
    for (unsigned i = 0; i < infinite; i++) {
        const double next = i + 1 < infinite ? value_of(half, i + 1)
                                             : 2 * value_of(half, i) - value_of(half, i - 1);
        const float middle = (float)((value_of(half, i) + next) / 2);
        const float x[6] = {middle,  nextafterf(middle, 0),  nextafterf(middle, INFINITY),
                            -middle, -nextafterf(middle, 0), -nextafterf(middle, INFINITY)};
        uint16_t got[6];
        dts_reduce_narrow(half, got, x, 6, NULL);
        CHECK_INT(got[0], i % 2 == 0 ? i : i + 1);
        CHECK_INT(got[1], i);
        CHECK_INT(got[2], i + 1);
        for (int k = 0; k < 3; k++)
            CHECK_INT(got[3 + k], got[k] | 0x8000);
    }
    const float beyond[2] = {3.4e38f, NAN};
    uint16_t got[2];
    dts_reduce_narrow(half, got, beyond, 2, NULL);
    CHECK_INT(got[0], infinite);
    CHECK(isnan(value_of(half, got[1])));
}

static void casts_follow_the_definition(void)
{
    check_format(DTS_HALF_BF16);
    check_format(DTS_HALF_FP16);
}

static void casts_round_to_the_nearest_even(void)
{
    check_rounding(DTS_HALF_BF16);
    check_rounding(DTS_HALF_FP16);
}

static void fill(float *x, uint64_t stream)
{
    for (size_t i = 0; i < COUNT; i++)
        x[i] = (float)dts_normal(11, stream, i);
}

static void sums_add_what_arrives(void)
{
    static float sum[COUNT], more[COUNT], before[COUNT];
    static uint16_t narrow[COUNT], total[COUNT];
    struct dts_workers *workers = dts_workers_new(3);
    fill(sum, 0);
    fill(more, 1);
    memcpy(before, sum, sizeof(sum));
    dts_reduce_add(sum, more, COUNT, workers);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(sum[i] == before[i] + more[i]);
    dts_reduce_scale(sum, 0.5f, COUNT, workers);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(sum[i] == 0.5f * (before[i] + more[i]));
    for (int half = DTS_HALF_BF16; half <= DTS_HALF_FP16; half++) {
        dts_reduce_narrow((enum dts_half)half, narrow, more, COUNT, workers);
        dts_reduce_narrow((enum dts_half)half, total, before, COUNT, workers);
        memcpy(sum, before, sizeof(sum));
        dts_reduce_add_widened((enum dts_half)half, sum, narrow, COUNT, workers);
        for (size_t i = 0; i < COUNT; i++)
            CHECK(sum[i] == before[i] + (float)value_of((enum dts_half)half, narrow[i]));
        dts_reduce_widen((enum dts_half)half, sum, total, COUNT, workers);
        dts_reduce_add_widened((enum dts_half)half, sum, narrow, COUNT, workers);
        dts_reduce_add_half((enum dts_half)half, total, narrow, COUNT, workers);
        dts_reduce_narrow((enum dts_half)half, narrow, sum, COUNT, workers);
        CHECK(memcmp(total, narrow, sizeof(total)) == 0); // rounded once
    }
    dts_workers_free(workers);
}

static void what_is_not_finite_is_found(void)
{
    static float x[COUNT];
    struct dts_workers *workers = dts_workers_new(3);
    const size_t places[] = {0, COUNT / 2, COUNT - 1};
    fill(x, 0);
    CHECK(dts_reduce_finite(x, COUNT, workers));
    CHECK(dts_reduce_finite(x, 0, workers));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const float keep = x[places[i]];
            x[places[i]] = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;
            CHECK(!dts_reduce_finite(x, COUNT, workers));
            x[places[i]] = keep;
        }
    dts_workers_free(workers);
}

static void loss_scales_follow_overflows(void)
{
    struct dts_loss_scale s = {.scale = 65536};
    dts_loss_scale_next(&s, false);
    CHECK_NEAR(s.scale, 32768, 0);
    CHECK_INT(s.left_out, 1);
    for (int i = 0; i < 1999; i++)
        dts_loss_scale_next(&s, true);
    CHECK_NEAR(s.scale, 32768, 0);
    dts_loss_scale_next(&s, true);
    CHECK_NEAR(s.scale, 65536, 0);
    s.scale = 2;
    for (int i = 0; i < 3; i++)
        dts_loss_scale_next(&s, false);
    CHECK_NEAR(s.scale, 1, 0);
}

static void rounding_is_narrowing_and_widening(void)
{
    static float x[COUNT], rounded[COUNT], widened[COUNT];
    static uint16_t narrow[COUNT];
    struct dts_workers *workers = dts_workers_new(3);
    fill(x, 0);
    x[1] = 1e6f;
    for (int half = DTS_HALF_BF16; half <= DTS_HALF_FP16; half++) {
        dts_reduce_narrow((enum dts_half)half, narrow, x, COUNT, workers);
        dts_reduce_widen((enum dts_half)half, widened, narrow, COUNT, workers);
        dts_reduce_round((enum dts_half)half, rounded, x, COUNT, workers);
        CHECK(memcmp(rounded, widened, sizeof(rounded)) == 0);
        dts_reduce_round((enum dts_half)half, rounded, rounded, COUNT, workers); // in place
        CHECK(memcmp(rounded, widened, sizeof(rounded)) == 0);
    }
    dts_workers_free(workers);
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

TESTS(TEST(casts_follow_the_definition), TEST(casts_round_to_the_nearest_even),
      TEST(sums_add_what_arrives), TEST(what_is_not_finite_is_found),
      TEST(loss_scales_follow_overflows), TEST(rounding_is_narrowing_and_widening),
      TEST(compressions_lose_nothing), TEST(top_k_sends_the_largest),
      TEST(top_k_takes_the_first_of_equals))

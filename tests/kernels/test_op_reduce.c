/* test_op_reduce.c -- every reduction: the host's and the GPU's version against the reference,
 * bit for bit; casts, and loss scaling. What references are held to from elsewhere is
 * test_op_gradient_oracle.c. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "gpu_here.h"
#include "kernels/reduce/loss_scale.h"
#include "kernels/reduce/reduce.h"
#include "odd_values.h"

enum { COUNT = 10007, GUARD = 8, GUARD_BYTE = 0xa5 };

static const struct dts_place here = {NULL};

static void *filled(size_t bytes, size_t each, size_t count, uint32_t stream)
{
    unsigned char *array = dts_alloc(bytes + GUARD, 1);
    odd_fill(array, each, count, stream);
    memset(array + bytes, GUARD_BYTE, GUARD);
    return array;
}

/* A call of a row, and the reference's result. */
struct trial {
    const struct dts_reduction *row;
    struct dts_reduce_arrays a;
    size_t out_bytes, x_bytes;
    void *want; // owned; as are the arrays
};

static struct trial begin(const struct dts_reduction *row, enum dts_half half, size_t count)
{
    struct trial t = {.row = row, .a = {.count = count, .factor = 0.3f, .half = half}};
    t.out_bytes = row->one ? sizeof(int) : count * row->out;
    t.x_bytes = count * row->x;
    t.want = filled(t.out_bytes, row->out, row->one ? 0 : count, 0);
    t.a.out = filled(t.out_bytes, row->out, row->one ? 0 : count, 0);
    t.a.x = filled(t.x_bytes, row->x, row->x > 0 ? count : 0, 1);
    struct dts_reduce_arrays by_reference = t.a;
    by_reference.out = t.want;
    row->reference(&by_reference, &here);
    return t;
}

static void end(struct trial *t)
{
    const unsigned char *guard = (const unsigned char *)t->a.out + t->out_bytes;
    const int before = check_failures;
    if (t->row->one)
        CHECK_INT(*(int *)t->a.out, *(int *)t->want);
    for (size_t i = 0; i < t->a.count && t->row->out > 0; i++)
        CHECK(odd_same(t->a.out, t->want, t->row->out, i, t->a.half));
    for (int i = 0; i < GUARD; i++)
        CHECK_INT(guard[i], GUARD_BYTE);
    if (check_failures > before)
        printf("  in %s of %zu, half %d\n", t->row->name, t->a.count, (int)t->a.half);
    free(t->a.out);
    free((void *)t->a.x);
    free(t->want);
}

static void run_on_host(struct trial *t, void *workers)
{
    const struct dts_place place = {.workers = workers};
    t->row->host(&t->a, &place);
}

static void run_on_gpu(struct trial *t, void *gpu)
{
    struct dts_error err = {0};
    struct dts_reduce_arrays there = t->a;
    void *x = NULL;
    CHECK(dts_gpu_alloc(&there.out, t->out_bytes + GUARD, &err) &&
          dts_gpu_alloc(&x, t->x_bytes + GUARD, &err) &&
          dts_gpu_write(gpu, there.out, t->a.out, t->out_bytes + GUARD, &err) &&
          dts_gpu_write(gpu, x, t->a.x, t->x_bytes, &err));
    there.x = x;
    t->row->cuda(&there, dts_gpu_place(gpu));
    CHECK(dts_gpu_read(gpu, t->a.out, there.out, t->out_bytes + GUARD, &err));
    dts_gpu_free(there.out);
    dts_gpu_free(x);
}

/* Every row, in every format that it has, on every size. */
static void for_trials(void (*run)(struct trial *t, void *argument), void *argument)
{
    static const size_t counts[] = {0, 1, 2, 3, 31, 257, COUNT};
    for (int i = 0; dts_reductions[i] != NULL; i++)
        for (int half = DTS_HALF_BF16; half <= DTS_HALF_FP16; half++)
            for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
                if (half != DTS_HALF_BF16 && !dts_reductions[i]->halves)
                    continue;
                struct trial t = begin(dts_reductions[i], (enum dts_half)half, counts[k]);
                run(&t, argument);
                end(&t);
            }
}

static void hosts_follow_their_references(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        struct dts_workers *workers = dts_workers_new(threads);
        for_trials(run_on_host, workers);
        dts_workers_free(workers);
    }
}

static void gpus_follow_their_references(void)
{
    struct dts_gpu *gpu;
    OP_GPU_OPEN(&gpu);
    for_trials(run_on_gpu, gpu);
    dts_gpu_close(gpu);
}

/* Bytes are those of the arrays: what is added to is read and written. */
static void costs_are_of_the_arrays(void)
{
    for (int i = 0; dts_reductions[i] != NULL; i++) {
        const struct dts_reduction *row = dts_reductions[i];
        CHECK_NEAR(row->bytes, (double)(row->x + (row->adds ? 2 : 1) * row->out), 0);
        CHECK(row->flops >= 1);
    }
}

static void check_format(enum dts_half half)
{
    static uint16_t bits[0x10000], again[0x10000];
    static float values[0x10000];
    for (unsigned i = 0; i < 0x10000; i++)
        bits[i] = (uint16_t)i;
    dts_reduce_widen(half, values, bits, 0x10000, &here);
    dts_reduce_narrow(half, again, values, 0x10000, &here);
    for (unsigned i = 0; i < 0x10000; i++) {
        const double want = dts_half_value(half, bits[i]);
        CHECK(isnan(want) ? isnan(values[i]) : (double)values[i] == want);
        CHECK(odd_same(again, bits, sizeof(*bits), i, half));
    }
}

static void all_of_16_bits_come_back(void)
{
    check_format(DTS_HALF_BF16);
    check_format(DTS_HALF_FP16);
}

/* Between two neighbours: the half way to the even one, the next floats to the nearer. */
static void check_rounding(enum dts_half half)
{
    const unsigned infinite = half == DTS_HALF_BF16 ? 0x7f80 : 0x7c00;
    for (unsigned i = 0; i < infinite; i++) {
        const double next = i + 1 < infinite ? dts_half_value(half, (uint16_t)(i + 1))
                                             : 2 * dts_half_value(half, (uint16_t)i) -
                                                   dts_half_value(half, (uint16_t)(i - 1));
        const float middle = (float)((dts_half_value(half, (uint16_t)i) + next) / 2);
        const float x[6] = {middle,  nextafterf(middle, 0),  nextafterf(middle, INFINITY),
                            -middle, -nextafterf(middle, 0), -nextafterf(middle, INFINITY)};
        uint16_t got[6];
        dts_reduce_narrow(half, got, x, 6, &here);
        CHECK_INT(got[0], i % 2 == 0 ? i : i + 1);
        CHECK_INT(got[1], i);
        CHECK_INT(got[2], i + 1);
        for (int k = 0; k < 3; k++)
            CHECK_INT(got[3 + k], got[k] | 0x8000);
    }
    const float beyond[2] = {3.4e38f, NAN};
    uint16_t got[2];
    dts_reduce_narrow(half, got, beyond, 2, &here);
    CHECK_INT(got[0], infinite);
    CHECK(isnan(dts_half_value(half, got[1])));
}

static void casts_round_to_the_nearest_even(void)
{
    check_rounding(DTS_HALF_BF16);
    check_rounding(DTS_HALF_FP16);
}

static bool all_finite(const float *x, size_t count, struct dts_workers *workers)
{
    const struct dts_place place = {.workers = workers};
    int answer = -1;
    dts_reduce_finite(&answer, x, count, &place);
    return answer == 1;
}

static void what_is_not_finite_is_found(void)
{
    static float x[COUNT];
    struct dts_workers *workers = dts_workers_new(3);
    const size_t places[] = {0, COUNT / 2, COUNT - 1};
    for (size_t i = 0; i < COUNT; i++)
        x[i] = (float)dts_normal(11, 0, i);
    CHECK(all_finite(x, COUNT, workers));
    CHECK(all_finite(x, 0, workers));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const float keep = x[places[i]];
            x[places[i]] = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;
            CHECK(!all_finite(x, COUNT, workers));
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

static void rounding_works_in_place(void)
{
    static float x[COUNT], rounded[COUNT];
    odd_fill(x, sizeof(*x), COUNT, 0);
    for (int half = DTS_HALF_BF16; half <= DTS_HALF_FP16; half++) {
        dts_reduce_round((enum dts_half)half, rounded, x, COUNT, &here);
        dts_reduce_round((enum dts_half)half, x, x, COUNT, &here);
        for (size_t i = 0; i < COUNT; i++)
            CHECK(odd_same(x, rounded, sizeof(*x), i, (enum dts_half)half));
        odd_fill(x, sizeof(*x), COUNT, 1);
    }
}

TESTS(TEST(hosts_follow_their_references), TEST(gpus_follow_their_references),
      TEST(costs_are_of_the_arrays), TEST(all_of_16_bits_come_back),
      TEST(casts_round_to_the_nearest_even), TEST(what_is_not_finite_is_found),
      TEST(loss_scales_follow_overflows), TEST(rounding_works_in_place))

/* op_half.h -- a call in mixed precision against the reference in double precision.
 *
 * Both begin from the same numbers of 16 bits, and the reference's backward reads the y that
 * mixed precision left: what is between them is then one rounding of each value that comes out,
 * at most 2^-p of it with a significand of p bits (8 in bf16, 11 in fp16), half of the smallest
 * number of fp16 (2^-24) near zero, and the rounding errors of sums in float (op_check.h).
 * Gradients of weights are not rounded. Products on a GPU also round scores and gates, which
 * come from one product and go into the next.
 */
#ifndef DTS_TESTS_OP_HALF_H
#define DTS_TESTS_OP_HALF_H

#include "kernels/mixed.h"
#include "kernels/op_gpu.h"
#include "kernels/reduce/reduce.h"

/* An array of the call in 16 bits: what op_run has in 32, and where. */
struct op_half {
    void **name, *single;
    uint16_t *half; // owned
    size_t count;
};

struct op_halves {
    struct op_half items[2 * DTS_OP_INPUTS + 2];
    int count;
};

static void op_halve(struct op_halves *all, void *name, size_t count, enum dts_half format)
{
    struct op_half *h = &all->items[all->count];
    *h = (struct op_half){.name = name, .count = count};
    h->single = *h->name;
    if (h->single == NULL)
        return;
    h->half = op_guarded(count * sizeof(*h->half));
    dts_reduce_narrow(format, h->half, h->single, count, &(struct dts_place){0});
    *h->name = h->half;
    all->count++;
}

static struct op_halves op_halve_all(struct op_run *r, enum dts_half format)
{
    const struct op_case *c = r->c;
    struct op_halves all = {.count = 0};
    for (int i = 0; i < c->call.input_count; i++) {
        if (i == 0 && c->most_x > 0)
            continue;
        op_halve(&all, &r->a.x[i], op_values(c, &c->call.inputs[i]), format);
        op_halve(&all, &r->a.dx[i], op_values(c, &c->call.inputs[i]), format);
    }
    if (r->op->loss)
        return all;
    op_halve(&all, &r->a.y, op_values(c, &c->call.output), format);
    op_halve(&all, &r->a.dy, op_values(c, &c->call.output), format);
    return all;
}

/* Arrays of 32 bits again, with what came out. */
static void op_widen_all(struct op_halves *all, enum dts_half format)
{
    for (int i = 0; i < all->count; i++) {
        struct op_half *h = &all->items[i];
        CHECK(op_guard_holds(h->half, h->count * sizeof(*h->half)));
        dts_reduce_widen(format, h->single, h->half, h->count, &(struct dts_place){0});
        *h->name = h->single;
        free(h->half);
    }
}

/* gpu: NULL, or where it runs. */
static void op_run_mixed(struct op_run *r, const struct dts_mixed *mixed, bool back,
                         struct dts_workers *workers, struct dts_gpu *gpu)
{
    const struct dts_place place = {.workers = workers};
    struct dts_error err = {0};
    struct op_halves all = op_halve_all(r, mixed->half);
    if (gpu != NULL) {
        r->handed = sizeof(uint16_t);
        CHECK(op_run_gpu(r, gpu, back, mixed, &err));
        r->handed = r->real;
        op_widen_all(&all, mixed->half);
        return;
    }
    const size_t bytes = (back ? dts_mixed_backward_scratch : dts_mixed_forward_scratch)(
        r->op, &r->c->call, r->c->batch, &place);
    r->a.scratch = op_unwritten(bytes);
    (back ? dts_mixed_backward : dts_mixed_forward)(r->op, mixed, &r->c->call, &r->a, &place);
    CHECK(op_guard_holds(r->a.scratch, bytes));
    free(r->a.scratch);
    r->a.scratch = NULL;
    op_widen_all(&all, mixed->half);
}

/* The values of a double array become those of 16 bits. */
static void op_round(const void *array, size_t count, enum dts_half format)
{
    double *values = (double *)array;
    for (size_t i = 0; i < count; i++) {
        float single = (float)values[i];
        dts_reduce_round(format, &single, &single, 1, &(struct dts_place){0});
        values[i] = (double)single;
    }
}

static void op_round_all(struct op_run *want, enum dts_half format)
{
    const struct op_case *c = want->c;
    for (int i = 0; i < c->call.input_count; i++)
        if (i > 0 || c->most_x == 0)
            op_round(want->a.x[i], op_values(c, &c->call.inputs[i]), format);
    for (int i = 0; i < c->call.param_count && want->op->products; i++)
        op_round(want->a.w[i], c->call.params[i], format);
    if (want->a.dy != NULL)
        op_round(want->a.dy, op_values(c, &c->call.output), format);
}

enum { OP_INNER = 4 };

/* `inner`: what an operation that multiplies may round on its way, on a GPU. `scale`: what
 * `got` is a multiple of `want` by. */
static void op_compare_half(const float *got, const double *want, size_t count, double scale,
                            enum dts_half format, double sums, double inner)
{
    const double rounding = format == DTS_HALF_BF16 ? 0x1p-8 : 0x1p-11;
    for (size_t i = 0; i < count; i++) {
        const double right = scale * want[i];
        CHECK_NEAR((double)got[i], right,
                   1.01 * rounding * fabs(right) + 0x1p-25 +
                       (sums + inner * rounding) * (scale + fabs(right)));
    }
}

static void op_check_half(const struct op_case *c, const struct dts_operation *op,
                          enum dts_half format, int threads, struct dts_gpu *gpu)
{
    struct dts_workers *workers = dts_workers_new(threads);
    struct op_run want = op_begin(c, op, 8), got = op_begin(c, op, 4);
    const double sums = 8 * sqrt(c->sums + 4) * 0x1p-24, scale = op->loss ? 64 : 1;
    const double rounding = format == DTS_HALF_BF16 ? 0x1p-8 : 0x1p-11;
    const double inner =
        gpu != NULL && op->products ? OP_INNER * (c->inner > 0 ? c->inner : 1) : 0;
    const struct dts_mixed mixed = {.half = format, .loss_scale = (float)scale};
    const size_t outputs = op_values(c, &c->call.output);
    op_round_all(&want, format);
    op_run_version(&want, &op->reference, false, NULL);
    op_run_mixed(&got, &mixed, false, workers, gpu);
    if (op->loss)
        op_compare(got.a.y, want.a.y, outputs, sums);
    else
        op_compare_half(got.a.y, want.a.y, outputs, 1, format, sums, inner);
    for (size_t i = 0; i < outputs; i++)
        ((double *)want.a.y)[i] = op_get(got.a.y, 4, i);
    op_run_version(&want, &op->reference, true, NULL);
    op_run_mixed(&got, &mixed, true, workers, gpu);
    for (int i = 0; i < c->call.input_count; i++)
        if (want.a.dx[i] != NULL)
            op_compare_half(got.a.dx[i], want.a.dx[i], op_values(c, &c->call.inputs[i]), scale,
                            format, sums, inner);
    for (int i = 0; i < c->call.param_count; i++)
        op_compare(got.a.dw[i], want.a.dw[i], c->call.params[i], sums + inner * rounding);
    op_end(&got);
    op_end(&want);
    dts_workers_free(workers);
}

#endif

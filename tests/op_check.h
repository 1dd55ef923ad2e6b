/* op_check.h -- what every operation has to keep, on a call that a test gives:
 *
 *     backward against central differences, both by the reference in double precision
 *     the host's version against the reference, with one worker and with three
 *     saved, state and scratch stay within their sizes (guarded)
 *     a gradient that nobody wants (NULL) changes no other
 *
 * Values are normal random numbers; what an operation reads as int32 (tokens, classes) the case
 * says by `most_x` and `most_target`. Tolerances: a sum of n products of values near 1 in float
 * has an error of about sqrt(n) 2^-24 (Higham 2002, section 2.8: rounding errors as random);
 * `sums` is that n, the factor of 8 covers the extreme of many values.
 */
#ifndef DTS_TESTS_OP_CHECK_H
#define DTS_TESTS_OP_CHECK_H

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "ops/op.h"

struct op_case {
    struct dts_op_call call; // inputs, output, params and settings
    int batch;
    double sums;      // values that the longest sum adds
    int most_x;       // > 0: x[0] is int32 below this
    int most_target;  // > 0: target is int32 below this, as many as y's positions
    int least_target; // and not below this
    size_t targets;   // values of the target for a sample; 0: none
};

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

/* The arrays of one call, for a real of 8 or of 4 bytes. */
struct op_run {
    const struct op_case *c;
    const struct dts_op *op;
    size_t real;
    struct dts_arrays a;
    size_t saved, state, scratch;
};

static size_t op_values(const struct op_case *c, const struct dts_dims *dims)
{
    return (size_t)c->batch * dts_dims_elements(dims);
}

static void *op_guarded(size_t bytes)
{
    unsigned char *memory = NULL;
    if (posix_memalign((void **)&memory, 64, bytes + GUARD) != 0)
        abort();
    memset(memory, 0, bytes);
    memset(memory + bytes, GUARD_BYTE, GUARD);
    return memory;
}

static bool op_guard_holds(const void *memory, size_t bytes)
{
    const unsigned char *guard = (const unsigned char *)memory + bytes;
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != GUARD_BYTE)
            return false;
    return true;
}

static void op_set(void *array, size_t real, size_t i, double value)
{
    if (real == 8)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

static double op_get(const void *array, size_t real, size_t i)
{
    return real == 8 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* Values that a float holds exactly, so that both precisions start from the same. */
static void *op_random(size_t count, size_t real, uint64_t stream)
{
    void *array = op_guarded(count * real);
    for (size_t i = 0; i < count; i++)
        op_set(array, real, i, (double)(float)dts_normal(7, stream, i));
    return array;
}

static void *op_integers(size_t count, int least, int most, uint64_t stream)
{
    int32_t *array = op_guarded(count * sizeof(*array));
    for (size_t i = 0; i < count; i++)
        array[i] = least + (int32_t)(dts_random(7, stream, i) % (uint64_t)(most - least));
    return array;
}

static struct op_run op_begin(const struct op_case *c, const struct dts_op *op, size_t real)
{
    struct op_run r = {.c = c, .op = op, .real = real};
    r.a = (struct dts_arrays){.batch = c->batch, .training = true, .seed = 3, .step = 5};
    for (int i = 0; i < c->call.input_count; i++) {
        const size_t n = op_values(c, &c->call.inputs[i]);
        const bool tokens = i == 0 && c->most_x > 0;
        r.a.x[i] = tokens ? op_integers(n, 0, c->most_x, 99) : op_random(n, real, (uint64_t)i);
        r.a.dx[i] = tokens ? NULL : op_guarded(n * real);
    }
    for (int i = 0; i < c->call.param_count; i++) {
        r.a.w[i] = op_random(c->call.params[i], real, 20 + (uint64_t)i);
        r.a.dw[i] = op_random(c->call.params[i], real, 30 + (uint64_t)i); // added to
    }
    r.a.y = op_guarded(op_values(c, &c->call.output) * real);
    r.a.dy = op->loss ? NULL : op_random(op_values(c, &c->call.output), real, 50);
    if (c->targets > 0)
        r.a.target = c->most_target > 0 ? op_integers((size_t)c->batch * c->targets,
                                                      c->least_target, c->most_target, 60)
                                        : op_random((size_t)c->batch * c->targets, real, 60);
    r.saved = op->saved_bytes != NULL ? op->saved_bytes(&c->call, c->batch, real) : 0;
    r.state = op->state_bytes != NULL ? op->state_bytes(&c->call, c->batch, real) : 0;
    r.a.saved = op_guarded(r.saved);
    r.a.state = op_guarded(r.state);
    return r;
}

static void op_end(struct op_run *r)
{
    const struct op_case *c = r->c;
    for (int i = 0; i < c->call.input_count; i++) {
        if (r->a.dx[i] != NULL)
            CHECK(op_guard_holds(r->a.dx[i], op_values(c, &c->call.inputs[i]) * r->real));
        free((void *)r->a.x[i]);
        free(r->a.dx[i]);
    }
    for (int i = 0; i < c->call.param_count; i++) {
        CHECK(op_guard_holds(r->a.dw[i], c->call.params[i] * r->real));
        free((void *)r->a.w[i]);
        free(r->a.dw[i]);
    }
    CHECK(op_guard_holds(r->a.y, op_values(c, &c->call.output) * r->real));
    CHECK(op_guard_holds(r->a.saved, r->saved));
    CHECK(op_guard_holds(r->a.state, r->state));
    free(r->a.y);
    free((void *)r->a.dy);
    free((void *)r->a.target);
    free(r->a.saved);
    free(r->a.state);
}

static void op_run_version(struct op_run *r, const struct dts_op_version *version, bool back,
                           struct dts_workers *workers)
{
    const struct dts_place place = {.workers = workers};
    size_t (*size)(const struct dts_op_call *, int, int) =
        back ? version->backward_scratch : version->forward_scratch;
    const size_t bytes =
        size != NULL ? size(&r->c->call, r->c->batch, dts_workers_count(workers)) : 0;
    r->a.scratch = op_guarded(bytes);
    (back ? version->backward : version->forward)(&r->c->call, &r->a, &place);
    CHECK(op_guard_holds(r->a.scratch, bytes));
    free(r->a.scratch);
    r->a.scratch = NULL;
}

/* sum of y dy, what the gradients are of; for a loss sum of y / batch. */
static double op_objective(struct op_run *r)
{
    op_run_version(r, &r->op->reference, false, NULL);
    double sum = 0;
    for (size_t i = 0; i < op_values(r->c, &r->c->call.output); i++)
        sum += ((double *)r->a.y)[i] *
               (r->a.dy != NULL ? ((const double *)r->a.dy)[i] : 1.0 / r->c->batch);
    return sum;
}

/* One array's gradient, at up to 40 places, `offset`: what it held before. */
static void op_check_gradient(struct op_run *r, double *values, const double *gradient,
                              const double *offset, size_t count)
{
    const double h = 1e-5;
    const size_t stride = count > 40 ? count / 40 : 1;
    for (size_t i = 0; i < count; i += stride) {
        const double keep = values[i];
        values[i] = keep + h;
        const double above = op_objective(r);
        values[i] = keep - h;
        const double below = op_objective(r);
        values[i] = keep;
        const double got = gradient[i] - (offset != NULL ? offset[i] : 0);
        CHECK_NEAR(got, (above - below) / (2 * h), 2e-7 * (1 + fabs(got)));
    }
}

static void op_check_differences(const struct op_case *c, const struct dts_op *op)
{
    struct op_run r = op_begin(c, op, 8);
    double *before[DTS_OP_PARAMS];
    for (int i = 0; i < c->call.param_count; i++)
        before[i] = op_random(c->call.params[i], 8, 30 + (uint64_t)i);
    op_objective(&r);
    op_run_version(&r, &op->reference, true, NULL);
    for (int i = 0; i < c->call.input_count; i++)
        if (r.a.dx[i] != NULL)
            op_check_gradient(&r, (double *)r.a.x[i], r.a.dx[i], NULL,
                              op_values(c, &c->call.inputs[i]));
    for (int i = 0; i < c->call.param_count; i++) {
        op_check_gradient(&r, (double *)r.a.w[i], r.a.dw[i], before[i], c->call.params[i]);
        free(before[i]);
    }
    op_end(&r);
}

static void op_compare(const void *got, const void *want, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        CHECK_NEAR(op_get(got, 4, i), op_get(want, 8, i),
                   tolerance * (1 + fabs(op_get(want, 8, i))));
}

static void op_check_host(const struct op_case *c, const struct dts_op *op, int threads)
{
    struct dts_workers *workers = dts_workers_new(threads);
    struct op_run want = op_begin(c, op, 8), got = op_begin(c, op, 4);
    op_run_version(&want, &op->reference, false, NULL);
    op_run_version(&want, &op->reference, true, NULL);
    op_run_version(&got, &op->host, false, workers);
    const double tolerance = 8 * sqrt(c->sums + 4) * 0x1p-24;
    op_compare(got.a.y, want.a.y, op_values(c, &c->call.output), tolerance);
    op_run_version(&got, &op->host, true, workers);
    for (int i = 0; i < c->call.input_count; i++)
        if (want.a.dx[i] != NULL)
            op_compare(got.a.dx[i], want.a.dx[i], op_values(c, &c->call.inputs[i]), tolerance);
    for (int i = 0; i < c->call.param_count; i++)
        op_compare(got.a.dw[i], want.a.dw[i], c->call.params[i], tolerance);
    op_end(&got);
    op_end(&want);
    dts_workers_free(workers);
}

/* Backward without the gradients of the inputs, or without those of the parameters. */
static void op_check_parts(const struct op_case *c, const struct dts_op *op, size_t real,
                           bool of_inputs)
{
    const struct dts_op_version *version = real == 8 ? &op->reference : &op->host;
    struct op_run all = op_begin(c, op, real), part = op_begin(c, op, real);
    void *kept[DTS_OP_INPUTS + DTS_OP_PARAMS] = {NULL};
    op_run_version(&all, version, false, NULL);
    op_run_version(&all, version, true, NULL);
    op_run_version(&part, version, false, NULL);
    for (int i = 0; i < (of_inputs ? c->call.param_count : c->call.input_count); i++) {
        void **gradient = of_inputs ? &part.a.dw[i] : &part.a.dx[i];
        kept[i] = *gradient;
        *gradient = NULL;
    }
    op_run_version(&part, version, true, NULL);
    for (int i = 0; i < c->call.input_count && of_inputs; i++)
        CHECK(all.a.dx[i] == NULL ||
              memcmp(all.a.dx[i], part.a.dx[i], op_values(c, &c->call.inputs[i]) * real) == 0);
    for (int i = 0; i < c->call.param_count && !of_inputs; i++)
        CHECK(memcmp(all.a.dw[i], part.a.dw[i], c->call.params[i] * real) == 0);
    for (int i = 0; i < (of_inputs ? c->call.param_count : c->call.input_count); i++)
        *(of_inputs ? &part.a.dw[i] : &part.a.dx[i]) = kept[i];
    op_end(&part);
    op_end(&all);
}

/* All that a call has to keep. */
static inline void check_op(const struct op_case *c)
{
    const struct dts_op *op = dts_op_find(c->call.op);
    CHECK(op != NULL);
    if (op == NULL)
        return;
    const int before = check_failures;
    op_check_differences(c, op);
    op_check_host(c, op, 1);
    op_check_host(c, op, 3);
    for (size_t real = 4; real <= 8; real += 4) {
        op_check_parts(c, op, real, false);
        op_check_parts(c, op, real, true);
    }
    if (check_failures > before)
        printf("  in %s batch %d\n", dts_op_call_key(&c->call).chars, c->batch);
}

#endif

/* op_check.h -- what every operation has to keep, on a call that a test gives:
 *
 *     backward against central differences, both by the reference in double precision
 *     the host's version against the reference, with one worker and with three
 *     the same in mixed precision, in bf16 and fp16 (op_half.h)
 *     the GPU's version against the reference, where there is a GPU
 *     saved, state and scratch stay within their sizes (guarded)
 *     a gradient that nobody wants (NULL) changes no other
 *
 * Values are normal random numbers; what an operation reads as int32 (tokens, classes) the case
 * says by `most_x` and `most_target`. Tolerances are 8 sqrt(n) 2^-24 of 1 + |value|, where
 * `sums` is n. A sum of n products of values near 1 is about sqrt(n) large. In float its error
 * is about 0.3 n 2^-24 where products are added one behind another: each part of the sum, about
 * sqrt(k) large, is rounded by 0.43 2^-24 of it (Higham 2002, section 2.8: rounding errors as
 * random). So a usual value may be off by 27 times that. A value near 0 may not: there from n =
 * 28 on a version is held to add in lanes or blocks, whose errors are smaller by the root of
 * their number (5 errors taken for the extreme of many values).
 */
#ifndef DTS_TESTS_OP_CHECK_H
#define DTS_TESTS_OP_CHECK_H

#include "kernels/op_gpu.h"
#include "kernels/op_half.h"
#include "kernels/op_run.h"

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

static void op_check_differences(const struct op_case *c, const struct dts_operation *op)
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

static void op_check_host(const struct op_case *c, const struct dts_operation *op, int threads)
{
    struct dts_workers *workers = dts_workers_new(threads);
    struct op_run want = op_begin(c, op, 8), got = op_begin(c, op, 4);
    op_run_version(&want, &op->reference, false, NULL);
    op_run_version(&want, &op->reference, true, NULL);
    op_run_version(&got, &op->host, false, workers);
    const double tolerance = 8 * sqrt(c->sums + 4) * 0x1p-24;
    const struct op_bound none = {0, 0};
    op_compare_bound(got.a.y, want.a.y, op_values(c, &c->call.output), &c->y, tolerance);
    op_run_version(&got, &op->host, true, workers);
    for (int i = 0; i < c->call.input_count; i++)
        if (want.a.dx[i] != NULL)
            op_compare_bound(got.a.dx[i], want.a.dx[i], op_values(c, &c->call.inputs[i]),
                             i == 0 ? &c->dx : &none, tolerance);
    for (int i = 0; i < c->call.param_count; i++)
        op_compare_bound(got.a.dw[i], want.a.dw[i], c->call.params[i], i == 0 ? &c->dw : &none,
                         tolerance);
    op_end(&got);
    op_end(&want);
    dts_workers_free(workers);
}

/* Whether GPUs' versions can run; the first time that they cannot, aloud. */
static bool op_gpu_here(void)
{
    static bool said = false;
    const char *missing = op_gpu_missing();
    if (missing != NULL && !said)
        printf("skip versions of a GPU: %s\n", missing);
    said = true;
    return missing == NULL;
}

/* Whether CPUs' versions are left out: a machine with a GPU is there for a few minutes, and
 * theirs are tested elsewhere. */
static bool op_only_gpu(void)
{
    const char *word = getenv("DTSIM_CHECK");
    return word != NULL && strcmp(word, "gpu") == 0;
}

/* The first GPU, opened once for all cases: its stream and cuBLAS take longer than a case. */
static struct dts_gpu *op_gpu_kept(void)
{
    static struct dts_gpu *gpu;
    struct dts_error err = {0};
    if (gpu == NULL && !dts_gpu_open(&gpu, 0, &err))
        printf("  %s\n", err.text);
    return gpu;
}

static void op_check_gpu(const struct op_case *c, const struct dts_operation *op)
{
    struct dts_error err = {0};
    struct dts_gpu *gpu = op_gpu_here() ? op_gpu_kept() : NULL;
    if (!op_gpu_here() || !CHECK(gpu != NULL && op->cuda.forward != NULL))
        return;
    struct op_run want = op_begin(c, op, 8), got = op_begin(c, op, 4);
    op_run_version(&want, &op->reference, false, NULL);
    op_run_version(&want, &op->reference, true, NULL);
    const double tolerance = 8 * sqrt(c->sums + 4) * 0x1p-24;
    CHECK(op_run_gpu(&got, gpu, false, NULL, &err));
    op_compare(got.a.y, want.a.y, op_values(c, &c->call.output), tolerance);
    CHECK(op_run_gpu(&got, gpu, true, NULL, &err));
    for (int i = 0; i < c->call.input_count; i++)
        if (want.a.dx[i] != NULL)
            op_compare(got.a.dx[i], want.a.dx[i], op_values(c, &c->call.inputs[i]), tolerance);
    for (int i = 0; i < c->call.param_count; i++)
        op_compare(got.a.dw[i], want.a.dw[i], c->call.params[i], tolerance);
    if (err.cause != DTS_NO_ERROR)
        printf("  %s\n", err.text);
    op_end(&got);
    op_end(&want);
    op_check_half(c, op, DTS_HALF_BF16, 1, gpu);
    op_check_half(c, op, DTS_HALF_FP16, 1, gpu);
}

/* The same values: to the bit for a fast version; compilers contract a reference's loops
 * differently where they made two of one (`if (dw != NULL)`). */
static void op_check_same(const struct op_case *c, const void *got, const void *want,
                          size_t count, size_t real)
{
    const double tolerance = real == 8 ? 8 * sqrt(c->sums + 4) * 0x1p-53 : 0;
    for (size_t i = 0; i < count; i++)
        CHECK_NEAR(op_get(got, real, i), op_get(want, real, i),
                   tolerance * (1 + fabs(op_get(want, real, i))));
}

/* Backward without the gradients of the inputs, or without those of the parameters. */
static void op_check_parts(const struct op_case *c, const struct dts_operation *op, size_t real,
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
        if (all.a.dx[i] != NULL)
            op_check_same(c, part.a.dx[i], all.a.dx[i], op_values(c, &c->call.inputs[i]), real);
    for (int i = 0; i < c->call.param_count && !of_inputs; i++)
        op_check_same(c, part.a.dw[i], all.a.dw[i], c->call.params[i], real);
    for (int i = 0; i < (of_inputs ? c->call.param_count : c->call.input_count); i++)
        *(of_inputs ? &part.a.dw[i] : &part.a.dx[i]) = kept[i];
    op_end(&part);
    op_end(&all);
}

static void op_check_cpu(const struct op_case *c, const struct dts_operation *op)
{
    op_check_differences(c, op);
    op_check_host(c, op, 1);
    op_check_host(c, op, 3);
    op_check_half(c, op, DTS_HALF_BF16, 3, NULL);
    op_check_half(c, op, DTS_HALF_FP16, 1, NULL);
    for (size_t real = 4; real <= 8; real += 4) {
        op_check_parts(c, op, real, false);
        op_check_parts(c, op, real, true);
    }
}

/* All that a call has to keep. */
static inline void check_op(const struct op_case *c)
{
    const struct dts_operation *op = dts_operation_find(c->call.op);
    CHECK(op != NULL);
    if (op == NULL)
        return;
    const int before = check_failures;
    op_check_gpu(c, op);
    if (!op_only_gpu())
        op_check_cpu(c, op);
    if (check_failures > before)
        printf("  in %s batch %d\n", dts_op_call_key(&c->call).chars, c->batch);
}

#endif

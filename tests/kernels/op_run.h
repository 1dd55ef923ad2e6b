/* op_run.h -- the arrays of one call of an operation, with guards behind them, and runs of it.
 */
#ifndef DTS_TESTS_OP_RUN_H
#define DTS_TESTS_OP_RUN_H

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "kernels/op.h"

/* How far an array in float may be from the one in double, where `sums` alone says too little.
 * 0: not asked. */
struct op_bound {
    double each; // value, whatever its size
    double norm; // of the difference, of the array's
};

struct op_case {
    struct dts_op_call call; // inputs, output, params and settings
    int batch;
    double sums;               // values that the longest sum adds
    double inner;              // of OP_INNER, so many times as much; 0: 1
    struct op_bound y, dx, dw; // of the host's y, dx[0] and dw[0]
    int most_x;                // > 0: x[0] is int32 below this
    int most_target;           // > 0: target is int32 below this, as many as y's positions
    int least_target;          // and not below this
    size_t targets;            // values of the target for a sample; 0: none
};

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

/* The arrays of one call, for a real of 8 or of 4 bytes. */
struct op_run {
    const struct op_case *c;
    const struct dts_operation *op;
    size_t real;
    size_t handed; // bytes of a value of x, y and their gradients: real, or 2
    struct dts_arrays a;
    size_t saved, state, scratch;
    size_t sums; // bytes; whoever wants halves makes the array
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

/* Memory that a call has to write: not a number, until it does. */
static void *op_unwritten(size_t bytes)
{
    void *memory = op_guarded(bytes);
    memset(memory, 0xff, bytes);
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

static struct op_run op_begin(const struct op_case *c, const struct dts_operation *op,
                              size_t real)
{
    struct op_run r = {.c = c, .op = op, .real = real, .handed = real};
    r.a = (struct dts_arrays){.batch = c->batch, .training = true, .seed = 3, .step = 5};
    for (int i = 0; i < c->call.input_count; i++) {
        const size_t n = op_values(c, &c->call.inputs[i]);
        const bool tokens = i == 0 && c->most_x > 0;
        r.a.x[i] = tokens ? op_integers(n, 0, c->most_x, 99) : op_random(n, real, (uint64_t)i);
        r.a.dx[i] = tokens ? NULL : op_unwritten(n * real);
    }
    for (int i = 0; i < c->call.param_count; i++) {
        r.a.w[i] = op_random(c->call.params[i], real, 20 + (uint64_t)i);
        r.a.dw[i] = op_random(c->call.params[i], real, 30 + (uint64_t)i); // added to
    }
    r.a.y = op_unwritten(op_values(c, &c->call.output) * real);
    r.a.dy = op->loss ? NULL : op_random(op_values(c, &c->call.output), real, 50);
    if (c->targets > 0)
        r.a.target = c->most_target > 0 ? op_integers((size_t)c->batch * c->targets,
                                                      c->least_target, c->most_target, 60)
                                        : op_random((size_t)c->batch * c->targets, real, 60);
    r.saved = op->saved_bytes != NULL ? op->saved_bytes(&c->call, c->batch, real) : 0;
    r.state = op->state_bytes != NULL ? op->state_bytes(&c->call, c->batch, real) : 0;
    r.a.saved = op_unwritten(r.saved);
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
    if (r->a.sums != NULL)
        CHECK(op_guard_holds(r->a.sums, r->sums));
    free(r->a.saved);
    free(r->a.state);
    free(r->a.sums);
}

static void op_run_version(struct op_run *r, const struct dts_op_version *version, bool back,
                           struct dts_workers *workers)
{
    const struct dts_place place = {.workers = workers};
    size_t (*size)(const struct dts_op_call *, int, int) =
        back ? version->backward_scratch : version->forward_scratch;
    const size_t bytes =
        size != NULL ? size(&r->c->call, r->c->batch, dts_workers_count(workers)) : 0;
    r->a.scratch = op_unwritten(bytes);
    (back ? version->backward : version->forward)(&r->c->call, &r->a, &place);
    CHECK(op_guard_holds(r->a.scratch, bytes));
    free(r->a.scratch);
    r->a.scratch = NULL;
}

static inline void op_compare(const void *got, const void *want, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        CHECK_NEAR(op_get(got, 4, i), op_get(want, 8, i),
                   tolerance * (1 + fabs(op_get(want, 8, i))));
}

/* Within `bound` as far as it says something, else within `tolerance` of values near 1. */
static inline void op_compare_bound(const float *got, const double *want, size_t count,
                                    const struct op_bound *bound, double tolerance)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        off += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
        all += want[i] * want[i];
    }
    if (bound->norm > 0)
        CHECK_NEAR(sqrt(off / all), 0, bound->norm);
    if (bound->each <= 0)
        op_compare(got, want, count, tolerance);
    for (size_t i = 0; i < count && bound->each > 0; i++)
        CHECK_NEAR((double)got[i], want[i], bound->each);
}

#endif
